"""Keys are public and unique: in one pipeline no two jobs or gates may have the same, nor one that existed before."""

from collections.abc import Collection, Iterable

from pipegen import codes
from pipegen.diagnostics import Related, Span
from pipegen.manifest.located import Report
from pipegen.model import Job

KEY_LENGTH = 100


def check_keys(jobs: Iterable[Job], external_keys: Collection[str], report: Report) -> None:
    """Report keys that are too long with their gate's prefix, and keys that two jobs or gates share."""
    first: dict[str, tuple[Span, str]] = {}
    written = list(jobs)
    for job in written:
        for key, what in ((job.key, f'job "{job.key}"'), (job.gate.key, f'the gate of "{job.key}"')):
            at = job.nodes["key"].span if "key" in job.nodes else job.span
            if len(key) > KEY_LENGTH:
                report.add(
                    codes.BAD_NAME,
                    at,
                    f'key "{key}" has {len(key)} characters: Buildkite allows {KEY_LENGTH}, prefixes included',
                    hint="write a shorter key:",
                )
            if key in external_keys:
                report.add(
                    codes.KEY_COLLISION, at, f'key "{key}" is declared under external_keys', hint="write another key:"
                )
            if key in first and first[key][0:2] != (at, what):
                report.add(
                    codes.KEY_COLLISION,
                    at,
                    f'key "{key}" of {what} is taken by {first[key][1]}',
                    hint="write another key: for one of them",
                    related=(Related(span=first[key][0], note="first here"),),
                )
            elif key in first:
                report.add(
                    codes.KEY_COLLISION,
                    at,
                    f'key "{key}" is given to several jobs',
                    hint="keys must differ: leave key: to the step",
                )
            first.setdefault(key, (at, what))
    _check_former(written, first, report)


def _check_former(jobs: Iterable[Job], current: Collection[str], report: Report) -> None:
    """Report a `was` that is a key of today, or that two jobs claim."""
    first: dict[str, Job] = {}
    for job in jobs:
        for old in job.was:
            span = job.nodes["was"].span
            if old in current:
                report.add(
                    codes.KEY_COLLISION,
                    span,
                    f'was: "{old}" is the key of a job that exists',
                    hint="was: names keys that are gone",
                )
            elif old in first and first[old].nodes["was"].span != span:
                report.add(
                    codes.KEY_COLLISION,
                    span,
                    f'was: "{old}" is claimed by "{first[old].key}" and by "{job.key}"',
                    hint="keep it where the old job went",
                    related=(Related(span=first[old].nodes["was"].span, note="first here"),),
                )
            first.setdefault(old, job)
