"""Tests in quarantine: what a job's generated pytest call leaves out, exactly that and nothing that begins like it.

pytest's --deselect compares beginnings of node ids: `test_a` would take `test_ab` along. A file has --ignore, a class
and parameters end in a character that nothing else goes on with, and of any other node the file itself shows that
nothing in it begins like it.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from pipegen import codes
from pipegen.dataclass import dataclass, replace
from pipegen.definitions import Definitions, definitions_of
from pipegen.diagnostics import Related, listing
from pipegen.expand.reading import texts
from pipegen.expand.testpaths import contains, test_path
from pipegen.expand.variation import Variation
from pipegen.manifest.located import Report
from pipegen.model import Build, Catalogue, Quarantined, TestPath


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What is left of the entries of a call, and what it has to leave out inside of them.

    `quarantined` are all tests that the job does without, `left_out` those of them that pytest is to be told of.
    """

    entries: tuple[TestPath, ...]
    left_out: tuple[TestPath, ...] = ()
    quarantined: tuple[TestPath, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """A test in quarantine: as it was written, and what pytest is told to leave out just that."""

    of: Quarantined
    test: TestPath
    exactly: TestPath

    def still_runs(self, variation: Variation) -> bool:
        """Whether a job runs it all the same: on one of its lanes, or in builds of its schedules alone."""
        when = {word.text for word in texts(variation.nodes.get("when"))}
        return variation.lane in self.of.lanes or (bool(when) and when <= {*self.of.schedules})


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantine:
    """The tests that do not run in this build, but for jobs that are named."""

    entries: tuple[_Entry, ...] = ()

    @classmethod
    def of(cls, catalogue: Catalogue, build: Build, report: Report) -> "Quarantine":
        """Look at every test in quarantine. One that cannot be left out exactly is an error, in every build."""
        known: dict[str, Definitions] = {}
        entries = []
        for one in catalogue.workspace.quarantine:
            test = test_path(one.test, catalogue.workspace.tests)
            exactly = _exactly(test, catalogue.test_files, known, report)
            if exactly is not None and not build.schedules & {*one.schedules}:
                entries.append(_Entry(of=one, test=test, exactly=exactly))
        return cls(entries=tuple(entries))

    def leave(
        self, variation: Variation, given: Sequence[TestPath], elsewhere: Sequence[TestPath], report: Report
    ) -> Kept:
        """Take tests in quarantine out of what a job is given; `elsewhere` is what it leaves out anyway."""
        kept = Kept(entries=tuple(given))
        for entry in self.entries:
            if not entry.still_runs(variation) and not any(_holds(path, entry.test) for path in elsewhere):
                kept = _without(kept, entry, variation, report)
        return kept


def _without(kept: Kept, entry: _Entry, variation: Variation, report: Report) -> Kept:
    test = entry.test
    rest = tuple(path for path in kept.entries if not _holds(test, path))
    if not rest:
        lane = f"on lane {variation.lane}"
        message = f'"{test.written}" in quarantine leaves {variation.called} without a test {lane}'
        hint = "let it run in schedules alone (when:), and name those under runs: schedules:"
        related = (Related(span=variation.place, note="it has no other tests"),)
        report.add(codes.NOTHING_BUT_QUARANTINE, test.span, message, hint=hint, related=related)
        return kept
    around = [path for path in rest if contains(path, test)]
    if not around and len(rest) == len(kept.entries):
        return kept
    exactly = entry.exactly
    if any(path.is_glob for path in around) and "::" not in exactly.path:
        exactly = _as_class(exactly)  # the shell hands the file to pytest itself, which ignores no argument
    return Kept(
        entries=rest,
        left_out=(*kept.left_out, exactly) if around else kept.left_out,
        quarantined=(*kept.quarantined, test),
    )


def _holds(outer: TestPath, inner: TestPath) -> bool:
    return outer.path.rstrip("/") == inner.path.rstrip("/") or contains(outer, inner)


def _exactly(
    test: TestPath, files: Mapping[str, str | None], known: dict[str, Definitions], report: Report
) -> TestPath | None:
    """What leaves out a test and nothing else; None where there is no such test, or with a diagnostic."""
    _, _, node = test.path.partition("::")
    if not node or node.endswith("]"):
        return test
    if test.file not in files:
        return None
    text = files[test.file]
    if text is None:
        return _as_class(test) if node.rpartition("::")[2].startswith("Test") else _inexact(test, _UNSEEN, report)
    if test.file not in known:
        known[test.file] = definitions_of(text)
    defined = known[test.file]
    if defined.is_class(node):
        return _as_class(test)
    if defined.has(node) is False:
        return None
    longer = defined.longer(node)
    if longer is None:
        return _inexact(test, f"it may have others that begin with {node.rpartition('::')[2]}", report)
    return _inexact(test, f"it would leave out {listing(longer)} as well", report) if longer else test


_UNSEEN: Final = "the file cannot be looked into"


def _as_class(test: TestPath) -> TestPath:
    """The beginning of the node ids of all tests of a class or file, which no others share."""
    return replace(test, path=f"{test.path}::")


def _inexact(test: TestPath, why: str, report: Report) -> TestPath | None:
    message = f'"{test.written}" in quarantine: pytest cannot leave out exactly that, {why}'
    hint = "quarantine the file, its class, or the parameters (TEST[ID]), or rename the test"
    report.add(codes.INEXACT_QUARANTINE, test.span, message, hint=hint)
    return None
