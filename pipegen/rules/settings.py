"""Where manifests set toggles: in `env`, in its short or long form, and inside of commands."""

from collections.abc import Iterator
from dataclasses import field
from typing import Final

from pipegen.commands import Setting
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Span
from pipegen.manifest.fields import Level
from pipegen.manifest.located import Entry, Node, Scalar, has_jinja
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.model import Located, Toggle
from pipegen.rules.chains import Chain
from pipegen.rules.elsewhere import is_set_elsewhere
from pipegen.rules.facts import Facts, JobFacts
from pipegen.rules.places import is_authored, span_of

_ENV: Final = "env"


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A toggle that is set in `env` at one place, and the jobs that have it from there, by key.

    `values` are those that it has in the jobs, more than one where an expression makes them. `long` is the form with
    `because` and `until`. `sweeps` says that it is a variant's and that its siblings give the toggle other values.
    """

    toggle: Toggle
    entry: Entry
    jobs: tuple[JobFacts, ...]
    chains: tuple[Chain, ...]
    values: tuple[str, ...]
    sweeps: bool = False

    @property
    def long(self) -> bool:
        """Whether it stands in the form that gives a reason and an end."""
        return isinstance(self.entry.value, MappingNode)

    @property
    def value_at(self) -> Span:
        """Where the value stands."""
        return (self._inner("value") or self.entry.value).span

    @property
    def until(self) -> Located | None:
        """Its end."""
        node = self._inner("until")
        return None if node is None else Located(text=node.text, span=node.span)

    @property
    def reason(self) -> str | None:
        """Why it is set."""
        node = self._inner("because")
        return None if node is None else node.text

    @property
    def tracking(self) -> str | None:
        """The issue that follows it."""
        node = self._inner("tracking")
        return None if node is None else node.text

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of its jobs."""
        return tuple(facts.job.key for facts in self.jobs)

    @property
    def at_default(self) -> bool:
        """Whether it is the default in all of its jobs; what an expression gives may be another value next time."""
        return self.values == (self.toggle.default,) and not has_jinja(self.entry.value)

    def restores(self, facts: Facts) -> bool:
        """Whether something else would set the toggle in its stead: what a job inherits, or has from elsewhere."""
        inherits = any(_inherits(chain, self.entry) for chain in self.chains)
        return inherits or any(is_set_elsewhere(job, self.toggle.name, facts) for job in self.jobs)

    def _inner(self, name: str) -> Scalar | None:
        node: Node | None = self.entry.value.get(name) if isinstance(self.entry.value, MappingNode) else None
        return node if isinstance(node, Scalar) else None


def _inherits(chain: Chain, entry: Entry) -> bool:
    entries = [one for _, one in chain.entries(_ENV, entry.key.text) if one.key.span != entry.key.span]
    last = entries[-1].value if entries else None
    return last is not None and not (isinstance(last, Scalar) and last.is_null)


@dataclass(slots=True)
class _Found:
    """A place, while its jobs are being collected."""

    toggle: Toggle
    entry: Entry
    jobs: dict[str, JobFacts] = field(default_factory=dict)
    chains: list[Chain] = field(default_factory=list)
    values: set[str] = field(default_factory=set)
    sweeps: bool = True


def written(facts: Facts) -> tuple[Written, ...]:
    """Every place in `env` that sets a declared toggle in some job, sorted by place."""
    return facts.once(_written)


def _written(facts: Facts) -> tuple[Written, ...]:
    found: dict[tuple[Span, str], _Found] = {}
    for one in facts.jobs:
        for toggle, entry in _toggles(one):
            value = one.job.env.get(toggle.name)
            if value is None:
                continue
            place = found.setdefault((entry.key.span, toggle.default), _Found(toggle, entry))
            place.jobs[one.job.key] = one
            place.chains.append(facts.chain(one))
            place.values.add(value)
            place.sweeps &= _sweeps(facts.chain(one), one, toggle.name)
    return tuple(
        Written(
            toggle=place.toggle,
            entry=place.entry,
            jobs=tuple(place.jobs[key] for key in sorted(place.jobs)),
            chains=tuple(place.chains),
            values=tuple(sorted(place.values)),
            sweeps=place.sweeps,
        )
        for _, place in sorted(found.items(), key=lambda item: item[0])
    )


def _toggles(one: JobFacts) -> Iterator[tuple[Toggle, Entry]]:
    env = one.job.nodes.get(_ENV)
    toggles = one.pipeline.workspace.toggles
    for entry in env.entries if isinstance(env, MappingNode) and toggles else ():
        if entry.key.text in toggles:
            yield toggles[entry.key.text], entry


def _sweeps(chain: Chain, one: JobFacts, name: str) -> bool:
    """Whether a variant sets the toggle, and its step's variants give it several values, the default among them."""
    if one.job.origin.variant is None:
        return False
    entries = chain.entries(_ENV, name)
    if not entries or entries[-1][0].level is not Level.VARIANT:
        return False
    default = one.pipeline.workspace.toggles[name].default
    siblings = (
        other
        for other in one.pipeline.expansion.jobs
        if (other.span, other.origin.area, other.origin.part, other.origin.mirror)
        == (one.job.span, one.job.origin.area, one.job.origin.part, one.job.origin.mirror)
    )
    values = {other.env.get(name, default) for other in siblings}
    return len(values) > 1 and default in values


@dataclass(frozen=True, slots=True, kw_only=True)
class Commanded:
    """A toggle that a command of the manifest sets, in one of the jobs that run that command."""

    toggle: Toggle
    setting: Setting
    span: Span
    job: JobFacts

    @property
    def value(self) -> str | None:
        """What it is set to; None where that is not known, or where it is taken out."""
        return self.setting.value


def commanded(facts: Facts) -> Iterator[Commanded]:
    """Every setting of a declared toggle in an authored command, in the jobs' order. What a script sets is its own."""
    for one in facts.jobs:
        toggles = one.pipeline.workspace.toggles
        for setting in one.reading.settings if toggles else ():
            place = setting.place
            if setting.name in toggles and place.script is None and is_authored(one.job, place):
                yield Commanded(
                    toggle=toggles[setting.name],
                    setting=setting,
                    span=span_of(one.job, place, setting.name),
                    job=one,
                )
