"""Keys are public and unique: in one pipeline no two jobs or gates may have the same, nor one that existed before."""

from collections.abc import Collection, Sequence
from dataclasses import field

from pipegen import codes
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Related, Span
from pipegen.expand.reading import texts
from pipegen.manifest.fields import KEY_PATTERN
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.located import Report
from pipegen.model import Job

KEY_LENGTH = 100


def check_keys(jobs: Sequence[Job], external_keys: Collection[str], report: Report) -> None:
    """Report keys that two jobs or gates share, that something else has, or that are too long with their prefixes.

    Of a gate whose key is made of its job's nothing is said that is said of the job.
    """
    keys = _Keys(external=frozenset(external_keys), report=report)
    good = [job for job in jobs if keys.take(job.key, f'job "{job.key}"', f'key "{job.key}"', _key_place(job))]
    right = {id(job) for job in good}
    for job in jobs:
        place = _gate_place(job)
        if place is not None or id(job) in right:
            at = place or _key_place(job)
            keys.take(job.gate.key, f'the gate of "{job.key}"', f'key "{job.gate.key}" of the gate of "{job.key}"', at)
    _check_former(jobs, keys.first, report)


def _key_place(job: Job) -> Span:
    return job.nodes["key"].span if "key" in job.nodes else job.span


def _gate_place(job: Job) -> Span | None:
    """Where the key of a gate is written, if its author wrote one."""
    gate = job.nodes.get("gate")
    key = gate.get("key") if isinstance(gate, MappingNode) else None
    return None if key is None else key.span


@dataclass(slots=True, kw_only=True)
class _Keys:
    """The keys that are taken, each with whose it is and where that stands."""

    external: frozenset[str]
    report: Report
    first: dict[str, tuple[str, Span]] = field(default_factory=dict)

    def take(self, key: str, owner: str, called: str, at: Span) -> bool:
        """Give a key to a job or gate; False with a diagnostic where it cannot be."""
        if len(key) > KEY_LENGTH:
            found = f"{called} has {len(key)} characters: Buildkite allows {KEY_LENGTH}, prefixes included"
            self.report.add(codes.BAD_NAME, at, found, hint="write a shorter key:")
        elif not KEY_PATTERN.fullmatch(key):
            expected = 'letters, digits and any of "_-:.,"'
            self.report.add(codes.BAD_NAME, at, f"{called}: expected {expected}", hint="take the other characters out")
        elif key in self.external:
            self.report.add(
                codes.KEY_COLLISION, at, f"{called} is declared under external_keys", hint="write another key:"
            )
        elif key in self.first:
            other, place = self.first[key]
            self.report.add(
                codes.KEY_COLLISION,
                at,
                f"{called} is taken by {other}" if other != owner else f"{called} is taken by another job",
                hint="write another key: for one of them",
                related=(Related(span=place, note="first here"),) if place != at else (),
            )
        else:
            self.first[key] = (owner, at)
            return True
        return False


def _check_former(jobs: Sequence[Job], current: Collection[str], report: Report) -> None:
    """Report a `was` that is a key of today, or that two jobs claim."""
    first: dict[str, tuple[str, Span]] = {}
    for job in jobs:
        for former in texts(job.nodes.get("was")):
            old, span = former.text, former.span
            if old in current:
                report.add(
                    codes.KEY_COLLISION,
                    span,
                    f'was: "{old}" is the key of a job that exists',
                    hint="take it out: was names keys that are gone",
                )
            elif old in first and first[old][1] != span:
                report.add(
                    codes.KEY_COLLISION,
                    span,
                    f'was: "{old}" is claimed by "{first[old][0]}" and by "{job.key}"',
                    hint="keep it where the old job went",
                    related=(Related(span=first[old][1], note="first here"),),
                )
            first.setdefault(old, (job.key, span))
