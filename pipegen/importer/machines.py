"""Where a step's job runs: from what a step file calls its machine to an entry of the catalogue and a template."""

import re

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Span, closest
from pipegen.importer import codes
from pipegen.importer.catalogue import Addition, Catalogue
from pipegen.importer.fields import Fields
from pipegen.importer.rules import Family, Rules
from pipegen.importer.texts import literal
from pipegen.importer.writing import Bare, Map, Pair, Value
from pipegen.manifest.located import Entry, Report, Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """A machine as the new language says it. None stands for what goes without saying.

    `runs_in` is the directory of the commands (None: where the agent starts), `native` whether an AMD job runs
    without a container of the wrapper's own.
    """

    hardware: str
    lane: str
    tags: tuple[Entry, ...] = ()
    gpus: int | None = None
    nodes: int | None = None
    template: str | None = None
    working_dir: str | None = None
    runs_in: str | None = None
    amd: bool = False
    native: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a step or mirror says about its machine."""

    fields: Fields
    label: str
    key: str
    authored_key: bool
    working_dir: str | None
    is_mirror: bool


@dataclass(slots=True, kw_only=True)
class Machines:
    """Places steps. The catalogue grows by what no entry offers."""

    rules: Rules
    catalogue: Catalogue
    default_working_dir: str
    report: Report

    def place(self, asked: Asked) -> Placement:
        """The placement of one step or mirror."""
        fields = asked.fields
        machine = fields.text("device")
        if fields.boolean("no_gpu") and machine is None:
            machine = self.rules.without_gpu
        named = machine or self.rules.default_machine
        authored = asked.key if asked.authored_key else ""
        for rule in self.rules.steps:
            if not asked.is_mirror and rule.takes(asked.label, authored, named):
                return self._at(rule.hardware)
        for family in self.rules.families:
            if found := family.machine.fullmatch(named):
                entry = self._card(family, found["card"], own=not asked.is_mirror)
                return self._amd(asked, entry, int(found["gpus"]))
        if named not in self.rules.machines:
            self._guess(named, fields.at("device"))
        return self._other(asked, named)

    def _at(self, hardware: str) -> Placement:
        return Placement(hardware=hardware, lane=self.catalogue.lane(hardware))

    def _card(self, family: Family, card: str, *, own: bool) -> str:
        """The entry of a card: one of the data's, or one made like another card's."""
        name = family.own if own else family.hardware
        entry = name.format(card=card)
        if self.catalogue.known(entry):
            return entry
        pattern = name.format(card=family.like)
        queues = {str(gpus): family.queue.format(card=card, gpus=gpus) for gpus in family.gpus}
        changes: dict[str, Value] = {"title": card.upper(), "queue": _map(queues)}
        label = self.catalogue.label(pattern)
        if label is not None:
            changes["label"] = label.replace(family.like, card)
        return self.catalogue.add(
            Addition(name=entry, like=pattern, changes=changes, facts={}, why=f"A card made like {pattern}: check it.")
        )

    def _amd(self, asked: Asked, entry: str, gpus: int) -> Placement:
        templates = self.rules.templates
        if asked.fields.boolean("no_plugin"):
            wanted = templates["amd_host"]
        else:
            wanted = templates["amd_container" if asked.fields.boolean("dind", default=True) else "amd_native"]
        entry, count = self._with_gpus(entry, gpus)
        return Placement(
            hardware=entry,
            lane=self.catalogue.lane(entry),
            gpus=count,
            template=None if wanted == self.catalogue.template(entry) else wanted,
            working_dir=self._written(asked.working_dir, entry),
            runs_in=asked.working_dir or ".",
            amd=True,
            native=wanted in self.rules.amd.native,
        )

    def _guess(self, machine: str, span: Span) -> None:
        """An entry for a machine that nobody has described: a queue of its own name."""
        if self.catalogue.known(_entry_name(machine)):
            return
        near = closest(machine, self.rules.machines)
        self.report.add(
            codes.UNKNOWN_MACHINE,
            span,
            f'unknown machine "{machine}": it gets an entry like "{self.rules.unknown_like}" with a queue of its name',
            hint=f'did you mean "{near}"?' if near else "describe it in .buildkite/hardware.yaml",
        )
        self.catalogue.add(
            Addition(
                name=_entry_name(machine),
                like=self.rules.unknown_like,
                changes={"title": literal(machine), "lane": self.rules.unknown_lane, "queue": literal(machine)},
                facts={},
                why=f"A guess, like {self.rules.unknown_like}: say what it is.",
            )
        )

    def _other(self, asked: Asked, named: str) -> Placement:
        fields = asked.fields
        entry = named if self.catalogue.known(named) else _entry_name(named)
        entry, count = self._with_gpus(entry, self._devices(fields, entry))
        nodes = fields.count("num_nodes") or 1
        entry = self._with_nodes(entry, nodes)
        wanted, runs_in = self._way(asked, entry, nodes)
        entry = self._container(entry, wanted)
        if wanted == self.rules.templates["container"] and self._mounts_agent(asked):
            entry = self._mounting(entry)
        shown = runs_in
        if shown is None and (wanted in self.rules.containers or self.catalogue.working_dir(entry) is None):
            shown = "."
        return Placement(
            hardware=entry,
            lane=self.catalogue.lane(entry),
            tags=self._tags(fields, entry),
            gpus=count,
            nodes=nodes if nodes > 1 else None,
            template=None if wanted == self.catalogue.template(entry) else wanted,
            working_dir=None if shown is None else self._written(shown, entry),
            runs_in=runs_in,
        )

    def _way(self, asked: Asked, entry: str, nodes: int) -> tuple[str, str | None]:
        """The template, and the directory that the commands run in (None: where the agent starts)."""
        templates = self.rules.templates
        no_plugin = asked.fields.boolean("no_plugin")
        if nodes > 1:
            return templates["host_nodes" if no_plugin else "several_nodes"], None
        if no_plugin:
            return templates["host" if asked.working_dir is None else "host_with_cd"], asked.working_dir
        own = self.catalogue.template(entry)
        return (own if own in self.rules.containers else templates["container"]), asked.working_dir

    def _container(self, entry: str, wanted: str) -> str:
        """The entry, or one that can start containers on the same machines."""
        if wanted != self.rules.templates["container"] or self.catalogue.template(entry) in self.rules.containers:
            return entry
        like = self.catalogue.like(entry)
        changes: dict[str, Value] = {"title": like.title, "lane": like.lane, "template": wanted}
        changes["queue"] = next(iter(like.queues.values()))
        name = f"{entry}_container"
        why = f"The machines of {entry}, for jobs in a container of their own."
        return self.catalogue.add(Addition(name=name, like=self.rules.without_gpu, changes=changes, facts={}, why=why))

    def _mounts_agent(self, asked: Asked) -> bool:
        return asked.fields.boolean("mount_buildkite_agent") or asked.label in self.rules.mounts_agent

    def _mounting(self, entry: str) -> str:
        return self.catalogue.add(
            Addition(
                name=f"{entry}_agent",
                like=entry,
                changes={},
                facts={self.rules.mounts_agent_fact: Bare("true")},
                why=f"{entry}, with the agent in the container: for jobs that upload or annotate.",
            )
        )

    def copies(self, placement: Placement, count: int, through: str) -> str:
        """An entry on which a step becomes `count` jobs that each run everything."""
        return self.catalogue.add(
            Addition(
                name=f"{placement.hardware}_{through}_x{count}",
                like=placement.hardware,
                changes={"template": self.rules.templates["copies"]},
                facts={"through": through, "copies": Bare(str(count))},
                why=f"{count} jobs of a step that each run everything: nothing tells them which shard they are.",
            )
        )

    def _devices(self, fields: Fields, entry: str) -> int:
        count = fields.count("num_devices")
        if count is not None and not self.catalogue.gpus(entry):
            self.report.add(
                codes.IGNORED_FIELD,
                fields.at("num_devices"),
                f'"num_devices" has no effect: "{entry}" offers no number of GPUs',
                hint="agent_tags choose its machines; it is left behind"
                if self._has_tags(entry)
                else "it is left behind",
            )
        return count or 1

    def _with_gpus(self, entry: str, count: int) -> tuple[str, int | None]:
        """The entry and the number of GPUs to write; another entry where this one does not offer that number."""
        offered = self.catalogue.gpus(entry)
        if not offered:
            return entry, None
        if count in offered:
            goes_without_saying = offered[0] if len(offered) == 1 else 1
            return entry, None if count == goes_without_saying else count
        like = self.catalogue.like(entry)
        queue = next((queue for number, queue in sorted(like.queues.items(), key=str)), entry)
        name = self.catalogue.add(
            Addition(
                name=f"{entry}_{count}gpus",
                like=entry,
                changes={"queue": queue, "gpus": Bare(str(count))},
                facts={},
                why=f"{entry} with {count} GPUs, as step files ask for.",
            )
        )
        return name, None

    def _with_nodes(self, entry: str, count: int) -> str:
        """The entry, or one that offers this number of machines at once."""
        if count == 1 or count in self.catalogue.like(entry).nodes:
            return entry
        return self.catalogue.add(
            Addition(
                name=f"{entry}_{count}nodes",
                like=entry,
                changes={"nodes": Bare(str(count))},
                facts={},
                why=f"{count} machines of {entry} at once, as step files ask for.",
            )
        )

    def _has_tags(self, entry: str) -> bool:
        return bool(self.catalogue.like(entry).tags)

    def _tags(self, fields: Fields, entry: str) -> tuple[Entry, ...]:
        """The agent tags of a step, where its machine is chosen by them."""
        offered = self.catalogue.like(entry).tags
        result = []
        for tag in fields.mapping("agent_tags"):
            if tag.key.text in offered and isinstance(tag.value, Scalar):
                result.append(tag)
            else:
                self.report.add(
                    codes.IGNORED_FIELD,
                    tag.key.span,
                    f'agent tag "{tag.key.text}" has no effect on "{entry}"',
                    hint=f"it takes {', '.join(offered)}" if offered else "it takes none; it is left behind",
                )
        return tuple(result)

    def _written(self, working_dir: str | None, entry: str) -> str | None:
        """The working directory to write: none where the entry or the workspace says the same."""
        default = self.catalogue.working_dir(entry) or self.default_working_dir
        return None if (working_dir or ".") == default else working_dir or "."


def _entry_name(machine: str) -> str:
    """A name that the catalogue takes, for a machine that it does not know."""
    return re.sub(r"[^A-Za-z0-9_.-]", "-", machine).lstrip("_.-") or "unknown"


def _map(texts: dict[str, str]) -> Map:
    return Map(pairs=tuple(Pair(key=key, value=value) for key, value in texts.items()))
