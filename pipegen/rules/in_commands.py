"""What is set at one place of the commands, in all jobs that run it together: one place can be changed but once."""

from dataclasses import field
from typing import Final

from pipegen.commands import How, Setting, Started, TestRun
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Span
from pipegen.manifest.fields import Level
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.located import has_jinja
from pipegen.model import Toggle
from pipegen.rules.elsewhere import is_set_elsewhere
from pipegen.rules.facts import Facts, JobFacts
from pipegen.rules.settings import Commanded, commanded

_OF_ONE: Final = frozenset({Level.PART, Level.VARIANT, Level.MIRROR})


@dataclass(frozen=True, slots=True, kw_only=True)
class InCommands:
    """A toggle that is set at one place of the commands, with every setting there, in the order of the jobs' keys."""

    toggle: Toggle
    span: Span
    settings: tuple[Commanded, ...]
    is_elsewhere: bool
    """Whether something else than `env` and commands may set it."""
    reach: "Reach" = field(init=False)
    """What of all that its jobs run has it."""

    def __post_init__(self) -> None:
        """Look once at all that the jobs run."""
        object.__setattr__(self, "reach", self._reach())

    @property
    def jobs(self) -> tuple[JobFacts, ...]:
        """The jobs that run the command."""
        return tuple({id(each.job): each.job for each in self.settings}.values())

    @property
    def values(self) -> tuple[str, ...]:
        """What it is set to, as far as that is known."""
        return tuple(sorted({each.value for each in self.settings if each.value is not None}))

    @property
    def unsets(self) -> bool:
        """Whether the command takes it out of the environment."""
        return any(each.setting.how is How.UNSET for each in self.settings)

    @property
    def says_default(self) -> bool:
        """Whether it is set to its default, in all of the jobs."""
        return all(each.value == self.toggle.default for each in self.settings)

    @property
    def within(self) -> str | None:
        """A wrapper around the command that may keep the job's environment from it."""
        return next((each.setting.within for each in self.settings if each.setting.within is not None), None)

    @property
    def is_sure(self) -> bool:
        """Whether all was read that ran in front of it and might have set it."""
        return all(each.setting.sure for each in self.settings)

    @property
    def env(self) -> str | None:
        """What `env` says otherwise than the default, and for which job, as a sentence; None where it says nothing."""
        return next((said for job in self.jobs if (said := self._env(job)) is not None), None)

    def _env(self, job: JobFacts) -> str | None:
        name = self.toggle.name
        node = job.job.nodes.get("env")
        written = node.get(name) if isinstance(node, MappingNode) else None
        if written is not None and has_jinja(written):
            return f'has an expression for "{job.job.key}"'
        value = job.job.env.get(name, self.toggle.default)
        return None if value == self.toggle.default else f'says "{value}" for "{job.job.key}"'

    @property
    def is_set_otherwise(self) -> bool:
        """Whether one of the jobs sets it to something else too, in a command or a script, wherever that stands."""
        return any(
            other.name == self.toggle.name and (other.how is How.UNSET or other.value != self.toggle.default)
            for job in self.jobs
            for other in job.reading.settings
        )

    @property
    def is_overridden(self) -> bool:
        """Whether its jobs set it to something else before they run anything."""
        if self.reach.anything or any(job.reading.unread for job in self.jobs):
            return False
        settings = (setting for job in self.jobs for setting in job.reading.settings)
        return any(other.name == self.toggle.name and other.value not in self.values for other in settings)

    @property
    def changes_nothing(self) -> bool:
        """Whether it says the default, and nothing says otherwise in any of the jobs, as far as can be seen."""
        otherwise = self.env is not None or self.is_elsewhere or self.is_set_otherwise
        return self.says_default and self.is_sure and not otherwise

    @property
    def sweep(self) -> tuple[str, ...]:
        """The values that the commands of one of its jobs give to its tests, where these are several.

        Where no test is known, all that the job runs counts.
        """
        for job in self.jobs:
            given = {self._given(program) for program in job.reading.runs or _busy(job)}
            values = sorted(value for value in given if value is not None)
            if len(values) > 1:
                return tuple(values)
        return ()

    def _given(self, program: TestRun | Started) -> str | None:
        """The value that the manifest's commands give to a program; taken out, it has its default."""
        for setting in program.environment:
            if setting.name == self.toggle.name and setting.place.script is None:
                return self.toggle.default if setting.how is How.UNSET else setting.value
        return None

    def _reach(self) -> "Reach":
        tests = [self._holds(run) for job in self.jobs for run in job.reading.runs]
        every = [self._holds(program) for job in self.jobs for program in job.reading.programs]
        busy = [self._holds(program) for job in self.jobs for program in _busy(job)]
        return Reach(
            anything=any((*tests, *every)) or any(self._may_hold(job) for job in self.jobs),
            some_tests=any(tests),
            all_tests=all(tests),
            everything=all((*tests, *busy)),
        )

    def _holds(self, program: TestRun | Started) -> bool:
        return any(self._is_alike(setting) for setting in program.environment)

    def _may_hold(self, job: JobFacts) -> bool:
        """Whether a job runs something with a value of it that is not known: under a condition it is another one."""
        given = [run.environment for run in job.reading.runs] + [
            program.environment for program in job.reading.programs
        ]
        return any(setting.name == self.toggle.name and setting.value is None for each in given for setting in each)

    def _is_alike(self, setting: Setting) -> bool:
        if setting.name != self.toggle.name:
            return False
        return any(
            setting.place == own.setting.place
            or (setting.how is not How.UNSET and setting.value == own.value is not None)
            for own in self.settings
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far a setting goes in its jobs; but for `anything`, programs that certainly run no tests do not count."""

    anything: bool
    some_tests: bool
    all_tests: bool
    everything: bool


def _busy(job: JobFacts) -> tuple[Started, ...]:
    """The programs of a job that may run tests, or be there for them."""
    return tuple(program for program in job.reading.programs if not program.idle)


def heirs(site: InCommands, facts: Facts) -> tuple[JobFacts, ...]:
    """The jobs that would have it too if `env` said it where the commands stand, and that have it nowhere now."""
    owners = {_step(job) for job in site.jobs if not _is_of_one(job, facts, site)}
    name = site.toggle.name
    return tuple(
        job
        for job in facts.jobs
        if _step(job) in owners
        and name not in job.job.env
        and all(setting.name != name for setting in job.reading.settings)
    )


def _step(job: JobFacts) -> tuple[object, ...]:
    return id(job.pipeline), job.job.span, job.job.origin.area, job.job.origin.step


def _is_of_one(job: JobFacts, facts: Facts, site: InCommands) -> bool:
    """Whether the commands are those of a part, a variant or a mirror, from which nothing else inherits."""
    own = next(each.setting.place for each in site.settings if each.job is job)
    word = "setup" if own.command < len(job.job.setup) else "commands"
    layers = [layer for layer in facts.chain(job).layers if word in layer.nodes]
    return bool(layers) and layers[-1].level in _OF_ONE


def in_commands(facts: Facts) -> tuple[InCommands, ...]:
    """Every place of the commands that sets a declared toggle, sorted by place."""
    return facts.once(_in_commands)


def _in_commands(facts: Facts) -> tuple[InCommands, ...]:
    found: dict[tuple[Span, str, Span], list[Commanded]] = {}
    for each in commanded(facts):
        values = each.toggle.values
        if each.value is None or not values or each.value in values:  # of what is no value, another rule says so
            found.setdefault((each.span, each.toggle.name, each.toggle.span), []).append(each)
    return tuple(
        InCommands(
            toggle=settings[0].toggle,
            span=span,
            settings=tuple(sorted(settings, key=lambda each: (each.job.job.key, each.value or ""))),
            is_elsewhere=any(is_set_elsewhere(each.job, each.toggle.name, facts) for each in settings),
        )
        for (span, _, _), settings in sorted(found.items(), key=lambda item: item[0])
    )
