"""Steps of old files become drafts: every field finds its place, and what has none is reported."""

from collections.abc import Sequence

from pipegen.dataclass import dataclass, replace
from pipegen.importer import codes
from pipegen.importer.attributes import Attributes
from pipegen.importer.collecting import Collected, Collecting
from pipegen.importer.comments import Comments
from pipegen.importer.drafts import Draft, Line, Mirror, Unit
from pipegen.importer.faults import check_quoting
from pipegen.importer.fields import Fields
from pipegen.importer.labels import Labels
from pipegen.importer.machines import Asked, Machines, Placement
from pipegen.importer.nodes import said_at
from pipegen.importer.reading import OldFile, OldStep
from pipegen.importer.rules import Rules
from pipegen.importer.selecting import Selecting
from pipegen.importer.texts import Texts, title_of
from pipegen.importer.wrapping import unwrapped
from pipegen.importer.writing import SILENT, Bare, Pair, Said, Value
from pipegen.manifest.located import Report, Scalar

SHARD_VARIABLE = "BUILDKITE_PARALLEL_JOB"
REQUOTED = "as its arguments, the wrapper would quote -m and -k once more"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Commands:
    """Where commands stand and what they are."""

    lines: tuple[Line, ...]
    said: Said
    after: tuple[str, ...]
    template: str | None
    collected: Collected


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafting:
    """Makes drafts of the steps of one file."""

    file: OldFile
    rules: Rules
    machines: Machines
    labels: Labels
    texts: Texts
    attributes: Attributes
    selecting: Selecting
    collecting: Collecting
    report: Report

    @property
    def comments(self) -> Comments:
        """What is said in the file."""
        return self.file.comments

    def draft(self, step: OldStep, key: str) -> Draft | None:
        """One step; None where it has nothing to run."""
        fields = step.fields
        name = "commands" if "commands" in fields else "command"
        if not fields.texts(name):
            self.report.add(codes.NO_STEP, step.span, "the step has no commands: it is left behind")
            return None
        asked = Asked(
            fields=fields,
            label=step.label,
            key=step.key,
            authored_key=step.authored_key,
            working_dir=self._folder(fields) or (self.rules.working_dir if self.file.depends_on else None),
            is_mirror=False,
        )
        placement = self.machines.place(asked)
        commands = self._commands(fields, name, placement.runs_in)
        pairs = self._own_pairs(step, key, placement)
        label = step.label
        if placement.amd:
            label = self.rules.amd.label.format(label=label, machine=fields.text("device"))
        unit = self._unit(fields, label, placement, commands, pairs, parallelism=fields.count("parallelism") or 1)
        mirrors = [self._mirror(step, mirror_name, mirror, asked, unit) for mirror_name, mirror in step.mirrors.items()]
        return Draft(
            step=step,
            path=self.file.path,
            key=key,
            said=Said(above=self.comments.above.get(step.line, ())),
            unit=unit,
            mirrors=tuple(mirror for mirror in mirrors if mirror is not None),
        )

    def _folder(self, fields: Fields) -> str | None:
        """The working directory, which is text of the script."""
        text = fields.text("working_dir")
        return None if text is None else self.texts.command(text, fields.at("working_dir"))

    def _own_pairs(self, step: OldStep, key: str, placement: Placement) -> list[Pair]:
        fields = step.fields
        depends_on = self.selecting.depends_on(fields, placement)
        return [
            Pair(key="key", value=key),
            *self.selecting.own(step, placement),
            *depends_on,
            *self.attributes.of(fields, placement, is_mirror=False),
        ]

    def _unit(  # noqa: PLR0913 - what a unit is made of
        self,
        fields: Fields,
        label: str,
        placement: Placement,
        commands: _Commands,
        pairs: Sequence[Pair],
        *,
        parallelism: int,
    ) -> Unit:
        if commands.template is not None:
            placement = replace(placement, template=commands.template)
        told = any(SHARD_VARIABLE in line.run for line in commands.lines)
        found = {pair.key: pair for pair in pairs}
        if parallelism > 1 and not told:
            placement = self._copied(fields, placement, parallelism)
            parallelism = 1
        elif parallelism > 1:
            found["parallelism"] = self._pair("parallelism", Bare(str(parallelism)), fields, "parallelism")
        found |= {pair.key: pair for pair in self._placed(placement, fields)}
        found |= {pair.key: pair for pair in self._called(label, placement, fields, sharded=parallelism > 1)}
        return Unit(
            placement=placement,
            lines=commands.lines,
            commands_said=commands.said,
            after=commands.after,
            collected=commands.collected,
            working_dir=placement.runs_in or ".",
            parallelism=parallelism,
            pairs=found,
        )

    def _copied(self, fields: Fields, placement: Placement, count: int) -> Placement:
        through = placement.template or self.machines.catalogue.template(placement.hardware)
        self.report.add(
            codes.NOT_CARRIED,
            fields.at("parallelism"),
            f"parallelism is {count} and the commands never mention {SHARD_VARIABLE}: every job runs all tests",
            hint="pass the shard on to the test runner; until then its hardware entry says how many copies there are",
        )
        return replace(placement, hardware=self.machines.copies(placement, count, through), template=None)

    def _placed(self, placement: Placement, fields: Fields) -> list[Pair]:
        hardware: Value = placement.hardware
        if placement.tags:
            hardware = self.attributes.tagged(placement.hardware, placement.tags)
        given: list[tuple[str, Value | None, str]] = [
            ("hardware", hardware, "device"),
            ("gpus", None if placement.gpus is None else Bare(str(placement.gpus)), "num_devices"),
            ("nodes", None if placement.nodes is None else Bare(str(placement.nodes)), "num_nodes"),
            ("template", placement.template, "no_plugin"),
            ("working_dir", placement.working_dir, "working_dir"),
        ]
        pairs = [self._pair(name, value, fields, field) for name, value, field in given if value is not None]
        wrappers = [wrapper.template for wrapper in self.rules.wrappers]
        return [
            replace(pair, said=Said(beside=REQUOTED)) if pair.key == "template" and pair.value in wrappers else pair
            for pair in pairs
        ]

    def _called(self, label: str, placement: Placement, fields: Fields, *, sharded: bool) -> list[Pair]:
        title = self.labels.title_of(label, placement, sharded=sharded)
        text = self.texts.value(title if title is not None else label, fields.at("label"))
        return [self._pair("label" if title is None else "title", text, fields, "label")]

    def _pair(self, key: str, value: Value, fields: Fields, field: str) -> Pair:
        """A pair with what is said about the field that it comes from; what stands above a step is about the step."""
        said = said_at(self.comments, fields.at(field).line) if field in fields else SILENT
        if fields.at(field).line == fields.span.line:
            said = Said(beside=said.beside)
        return Pair(key=key, value=value, said=said)

    def _commands(self, fields: Fields, name: str, runs_in: str | None) -> _Commands:
        nodes = fields.texts(name)
        for node in nodes:
            check_quoting(node, self.report)
        template, texts = unwrapped(nodes, self.rules.wrappers)
        if template is not None:
            self.report.add(
                codes.REQUOTED,
                nodes[0].span,
                "the wrapper quotes the expressions of -m and -k once more: these arrive in two pairs of quotes",
                hint=f'template "{template}" brings the tests in a variable instead',
            )
        lines = [self._line(node, text) for node, text in zip(nodes, texts, strict=True)]
        collected = self.collecting.of([node.text.replace("$$", "$") for node in nodes], runs_in or ".")
        for path in collected.missing:
            self.report.add(
                codes.DEAD_PATH, fields.at(name), f'a command runs "{path}", which is not in the repository'
            )
        last = nodes[-1].span.line if nodes else fields.at(name).line
        return _Commands(
            lines=tuple(lines),
            said=said_at(self.comments, fields.at(name).line),
            after=self.comments.after.get(last, ()),
            template=template,
            collected=collected,
        )

    def _line(self, node: Scalar, text: str) -> Line:
        run = self.texts.command(text.strip("\n"), node.span)
        said = said_at(self.comments, node.span.line)
        own = Said(above=self.comments.above.get(node.span.line, ()), beside=said.beside)
        title = title_of(text, run) if text == node.text else None
        return Line(run=run, title=title, written=text, said=own)

    def _mirror(self, step: OldStep, name: str, mirror: Fields, asked: Asked, unit: Unit) -> Mirror | None:
        if not self._can_mirror(name, mirror, unit):
            return None
        commands_name = "commands" if "commands" in mirror else "command"
        own = bool(mirror.texts(commands_name))
        working_dir = (self._folder(mirror) if own else None) or asked.working_dir
        placement = self.machines.place(replace(asked, fields=mirror, working_dir=working_dir, is_mirror=True))
        commands = (
            self._commands(mirror, commands_name, placement.runs_in)
            if own
            else _Commands(lines=unit.lines, said=SILENT, after=(), template=None, collected=unit.collected)
        )
        pairs = [
            *self.selecting.mirror(step, mirror, placement),
            *self.attributes.of(mirror, placement, is_mirror=True, step=step.fields),
        ]
        label = mirror.text("label")
        if label is None:
            label = self.rules.amd.label.format(label=step.label, machine=mirror.text("device"))
            pairs.append(self.selecting.gate_label(step))
        count = mirror.count("parallelism") or step.fields.count("parallelism") or 1
        made = self._unit(mirror, label, placement, commands, pairs, parallelism=count)
        return Mirror(name=name, unit=_without_inherited(made, unit, working_dir), own_commands=own)

    def _can_mirror(self, name: str, mirror: Fields, unit: Unit) -> bool:
        """Whether a mirror becomes one; why not is reported."""
        lane = self.rules.amd.lane
        if name != lane:
            hint = f'it is left behind: name it "{lane}", or write a mirror in the new manifest'
            self.report.add(codes.UNKNOWN_FIELD, mirror.span, f'nothing reads a mirror "{name}"', hint=hint)
        elif "device" not in mirror:
            self.report.add(codes.NO_STEP, mirror.span, f'mirror "{name}" names no device: it is left behind')
        elif unit.placement.amd:
            message = f'a step of lane "{name}" has no mirror "{name}": their gates would have one key'
            hint = "it is left behind: make it a step of its own"
            self.report.add(codes.NO_STEP, mirror.span, message, hint=hint)
        else:
            return True
        return False


def _without_inherited(made: Unit, unit: Unit, working_dir: str | None) -> Unit:
    """A mirror without what it has from its step anyway."""
    pairs: dict[str, Pair] = dict(made.pairs)
    for name in ("title", "parallelism", "soft_fail", "concurrency", "concurrency_group"):
        if name in pairs and name in unit.pairs and pairs[name].value == unit.pairs[name].value:
            del pairs[name]
    if "parallelism" in unit.pairs and made.parallelism == 1:
        pairs["parallelism"] = Pair(key="parallelism", value=Bare("null"))
    authored = unit.pairs.get("working_dir")
    if authored is not None:
        wanted = working_dir or "."
        if authored.value == wanted:
            pairs.pop("working_dir", None)
        else:
            pairs["working_dir"] = Pair(key="working_dir", value=wanted)
    return replace(made, pairs=pairs)
