"""What goes wrong with patterns and with commands, done to the reference fleet as `tests.support.mutations` does it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from pipegen.commands import TestRun
from pipegen.diagnostics import Edit, Span
from pipegen.model import Located
from pipegen.rules.edits import replaced
from pipegen.rules.facts import JobFacts
from pipegen.rules.pattern_lists import SOURCES, is_exclusion, pattern_lists, written
from pipegen.rules.places import is_authored, span_of
from pipegen.rules.taken import is_plain
from tests.support.bases import FLEET
from tests.support.mutations import Clean, Kind, Mutation

ABSENT: Final = "nowhere_at_all"


def _patterns(fleet: Clean) -> Iterator[tuple[str, Located]]:
    """Every pattern that takes files in, with the word that it stands under, each place once."""
    for one in written(pattern_lists(fleet.facts)):
        if not is_exclusion(one.pattern):
            yield one.word, one.pattern


# --- The repository changes -------------------------------------------------------------------------------------------


def _without(fleet: Clean, change: Callable[[str], str | None]) -> Iterator[Mutation]:
    """All files that a pattern takes are renamed, or are gone."""
    told = set()
    for word, pattern in _patterns(fleet):
        if is_plain(pattern.text) and pattern.text not in told:
            told.add(pattern.text)
            gone = frozenset(fleet.facts.taken.names(fleet.facts.taken.by(pattern.text)))
            what = f'{pattern.span} what "{pattern.text}" of {word} takes is gone'
            yield fleet.listed(what, _changing(gone, change))


def _changing(gone: frozenset[str], change: Callable[[str], str | None]) -> Callable[[str], str | None]:
    return lambda path: change(path) if path in gone else path


def rename_source(fleet: Clean) -> Iterator[Mutation]:
    yield from _without(fleet, lambda path: f"renamed/{path}")


def delete_source(fleet: Clean) -> Iterator[Mutation]:
    yield from _without(fleet, lambda _: None)


# --- Lists of patterns change -----------------------------------------------------------------------------------------


def misspell_source(fleet: Clean) -> Iterator[Mutation]:
    for word, pattern in _patterns(fleet):
        if is_plain(pattern.text):
            wrong = pattern.text.rstrip("/") + "_x" + "/" * pattern.text.endswith("/")
            yield fleet.edited(f'{word}: "{pattern.text}" is misspelt', replaced(pattern.span, wrong))


def _beside(fleet: Clean, pattern: Located, text: str) -> Edit:
    """One more item behind a pattern."""
    span = pattern.span
    line = fleet.text(span.path).split("\n")[span.line - 1]
    end = replace(span, line=span.end_line, column=span.end_column)
    if line.lstrip().startswith("- "):
        return Edit(span=end, text="\n" + line[: len(line) - len(line.lstrip())] + f'- "{text}"')
    bare = line[: span.column - 1].rstrip()
    if not bare.endswith(("[", ",")):
        return Edit(span=span, text=f'["{pattern.text}", "{text}"]')
    return Edit(span=end, text=f', "{text}"')


def _adding(fleet: Clean, more: Callable[[Located], str | None]) -> Iterator[Mutation]:
    for word, pattern in _patterns(fleet):
        text = more(pattern)
        if text is not None:
            yield fleet.edited(f'{word}: "{text}" stands beside "{pattern.text}"', _beside(fleet, pattern, text))


def duplicate_source(fleet: Clean) -> Iterator[Mutation]:
    yield from _adding(fleet, lambda pattern: pattern.text)


def narrower_source(fleet: Clean) -> Iterator[Mutation]:
    def inside(pattern: Located) -> str | None:
        names = fleet.facts.taken.names(fleet.facts.taken.by(pattern.text))
        return next((path for path in names if path != pattern.text), None)

    yield from _adding(fleet, inside)


def exclude_nothing(fleet: Clean) -> Iterator[Mutation]:
    yield from _adding(fleet, lambda _: f"!{ABSENT}/")


def ignore_source(fleet: Clean) -> Iterator[Mutation]:
    """What a pattern takes is ignored as well."""
    told = set()
    text = fleet.text(FLEET)
    for word, pattern in _patterns(fleet):
        if word == SOURCES and pattern.text not in told:
            told.add(pattern.text)
            wider = text.replace("ignored: [", f'ignored: ["{pattern.text}", ')
            yield Mutation(what=f'"{pattern.text}" of {pattern.span} is ignored', files={FLEET: wider.encode()})


# --- Commands change --------------------------------------------------------------------------------------------------


def _runs(fleet: Clean) -> Iterator[tuple[JobFacts, TestRun, Span, str]]:
    """Each test run that stands in a line of its own, with the line's text from there on."""
    told = set()
    for job in fleet.facts.jobs:
        for run in (ran.run for ran in job.runs if is_authored(job.job, ran.run.place)):
            span = span_of(job.job, run.place)
            text = fleet.text(span.path).split("\n")[span.line - 1]
            rest = text[span.column - 1 :]
            plain = text.lstrip().startswith("- ") and not set("'\"#:|&;") & set(rest)
            if plain and span not in told and run.place.via is None:
                told.add(span)
                yield job, run, span, rest


def _ended(fleet: Clean, tail: str) -> Iterator[Mutation]:
    for _, run, span, rest in _runs(fleet):
        end = replace(span, column=span.column + len(rest), end_column=span.column + len(rest))
        yield fleet.edited(f'"{run.text}" ends in "{tail}"', Edit(span=end, text=tail))


def or_true(fleet: Clean) -> Iterator[Mutation]:
    yield from _ended(fleet, " || true")


def into_a_pipe(fleet: Clean) -> Iterator[Mutation]:
    for mutation, (job, *_) in zip(_ended(fleet, " | tee log.txt"), _runs(fleet), strict=True):
        pipefail = job.job.hardware.shell.pipefail
        yield replace(mutation, harmless="its shell has pipefail" if pipefail else "")


def in_the_background(fleet: Clean) -> Iterator[Mutation]:
    yield from _ended(fleet, " &")


def open_quote(fleet: Clean) -> Iterator[Mutation]:
    yield from _ended(fleet, " '")


def use_bash(fleet: Clean) -> Iterator[Mutation]:
    for job, run, span, _ in _runs(fleet):
        if fleet.text(span.path).split("\n")[span.line - 1][: span.column - 1].strip() != "-":
            continue  # behind a variable it is no keyword
        start = replace(span, end_column=span.column)
        mutation = fleet.edited(
            f'"[[" stands in front of "{run.text}"', Edit(span=start, text="cd . && [[ -d x ]] && ")
        )
        yield replace(mutation, harmless="" if job.job.hardware.shell.name == "sh" else "its shell is bash")


MORE_KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "rename-source": Kind(mutations=rename_source),
        "delete-source": Kind(mutations=delete_source),
        "misspell-source": Kind(mutations=misspell_source),
        "duplicate-source": Kind(mutations=duplicate_source),
        "narrower-source": Kind(mutations=narrower_source),
        "exclude-nothing": Kind(mutations=exclude_nothing),
        "ignore-source": Kind(mutations=ignore_source),
        "or-true": Kind(mutations=or_true),
        "into-a-pipe": Kind(mutations=into_a_pipe),
        "in-the-background": Kind(mutations=in_the_background),
        "open-quote": Kind(mutations=open_quote),
        "use-bash": Kind(mutations=use_bash),
    }
)
"""All kinds, by name."""
