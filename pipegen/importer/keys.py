"""Keys of the new workspace: those of the step files, where Buildkite takes them and each is there once."""

from collections.abc import Iterable, Iterator, Sequence

from pipegen.importer import codes
from pipegen.importer.drafts import Draft
from pipegen.importer.reading import OldFile, OldStep
from pipegen.manifest.fields import KEY_PATTERN
from pipegen.manifest.located import Report, Scalar

LONGEST = 100


def key_for(step: OldStep, taken: Sequence[set[str]], report: Report) -> str:
    """A step's key, or the nearest that Buildkite takes and no other step of its pipelines has."""
    key = step.key
    if not KEY_PATTERN.fullmatch(key):
        letters = (letter if KEY_PATTERN.fullmatch(letter) else "-" for letter in key)
        key = "".join(letters)[:LONGEST] or "step"
        place = step.fields.at("key" if step.authored_key else "label")
        report.add(codes.NOT_CARRIED, place, f'"{step.key}" is no key that Buildkite takes: it becomes "{key}"')
    if any(key in keys for keys in taken):
        free = next(name for name in _numbered(key) if all(name not in keys for keys in taken))
        message = f'another step has the key "{key}": this one becomes "{free}"'
        report.add(codes.REDUNDANT_KEY, step.fields.at("key"), message)
        key = free
    return key


def _numbered(key: str) -> Iterator[str]:
    number = 1
    while True:
        number += 1
        yield f"{key[: LONGEST - 6]}-{number}"


def keys_of(drafts: Iterable[Draft]) -> Iterator[str]:
    """The keys of steps and their mirrors."""
    for draft in drafts:
        yield draft.key
        yield from (f"{mirror.name}-{draft.key}" for mirror in draft.mirrors)


def missing_in(file: OldFile, known: set[str], report: Report) -> Iterator[str]:
    """Keys that the steps of a file wait for and nothing has, each reported where it stands."""
    for name in _waited_for(file):
        if name.text not in known:
            report.add(
                codes.MISSING_DEPENDENCY,
                name.span,
                f'no step has the key "{name.text}"',
                hint="it stands under external_keys now: put the key right, or take it out",
            )
            yield name.text


def _waited_for(file: OldFile) -> Iterator[Scalar]:
    yield from file.depends_on
    for step in file.steps:
        for fields in (step.fields, *step.mirrors.values()):
            yield from fields.keys("depends_on")
