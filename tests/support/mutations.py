"""Everything that goes wrong with the ownership of tests, done to the reference fleet in memory, one mistake at a time.

A kind of mistake lists the places where it fits; each place is a mutation: other files, or another list of the
repository's files. What the clean fleet does not have is what catches it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final

import yaml

from pipegen import app
from pipegen.commands import Named
from pipegen.diagnostics import Diagnostic, Edit, Severity, Span, has_errors, ordered
from pipegen.model import TestPath
from pipegen.rules.edits import applied, removed, replaced
from pipegen.rules.facts import Facts, JobFacts, Ran
from pipegen.rules.missing import folders_of
from pipegen.rules.ownership import taken_in
from pipegen.rules.places import is_authored, span_of
from pipegen.shell import glob_reaches
from tests.support.bases import FLEET, fleet_files
from tests.support.rules import Case, facts_from, facts_of, found_in, plans_of

LISTING: Final = ".buildkite/tree.txt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """One mistake: what was done where, and the files that are different.

    `harmless` says why nothing is wrong after it, where that is so.
    """

    what: str
    files: Mapping[str, bytes]
    harmless: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of mistake. `excuse` says why one of it may rightly pass, of a kind that may."""

    mutations: Callable[["Clean"], Iterator[Mutation]]
    excuse: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Clean:
    """The reference fleet as it is, and what its mutations are made of."""

    case: Case
    facts: Facts
    found: frozenset[tuple[str, str]] = field(default_factory=frozenset)

    @property
    def paths(self) -> tuple[str, ...]:
        """The files of the repository that its areas are about."""
        return self.facts.inventory.files.paths

    @property
    def entries(self) -> tuple[tuple[str, TestPath], ...]:
        """Every test path that a manifest names, with the word that it stands under, each place once."""
        found: dict[Span, tuple[str, TestPath]] = {}
        for facts in self.facts.jobs:
            job = facts.job
            for word, tests in (("tests", job.tests), ("also", job.also), ("ignore", job.ignore)):
                for test in tests:
                    found.setdefault(test.span, (word, test))
        return tuple(one for _, one in sorted(found.items()))

    def text(self, path: str) -> str:
        """The text of a manifest."""
        return self.case.files[path].decode()

    def edited(self, what: str, *edits: Edit) -> Mutation:
        """A mutation of one manifest."""
        path = edits[0].span.path
        return Mutation(what=f"{edits[0].span} {what}", files={path: applied(self.text(path), edits).encode()})

    def listed(self, what: str, change: Callable[[str], str | None], *added: str) -> Mutation:
        """A mutation of the repository: each file's new name (None: it is gone), and further files."""
        paths = sorted({*(new for path in self.paths if (new := change(path)) is not None), *added})
        return Mutation(what=what, files={LISTING: "".join(f"{path}\n" for path in paths).encode()})


def clean() -> Clean:
    """The reference fleet."""
    case = Case(files=fleet_files(), workspace=FLEET)
    return Clean(case=case, facts=facts_of(case), found=frozenset(map(_told, judged(case))))


def _told(diagnostic: Diagnostic) -> tuple[str, str]:
    return diagnostic.code.code, diagnostic.message


def judged(case: Case) -> tuple[Diagnostic, ...]:
    """All that is found: by the rules as well, unless there are errors that keep them from looking."""
    plans = plans_of(case)
    found = [one for plan in plans for one in (plan.diagnostics if isinstance(plan, app.Plan) else plan)]
    whole = [plan for plan in plans if isinstance(plan, app.Plan)]
    if has_errors(found) or len(whole) < len(plans):
        return ordered(found)
    return ordered([*found, *found_in(facts_from(case, whole))])


def caught_by(fleet: Clean, mutation: Mutation) -> tuple[str, ...]:
    """The codes of what a mutation adds to the fleet's own findings; warnings do not count."""
    after = judged(replace(fleet.case, files={**fleet.case.files, **mutation.files}))
    new = [one for one in after if one.severity is not Severity.WARNING and _told(one) not in fleet.found]
    return tuple(sorted({one.code.code for one in new}))


# --- The repository changes -------------------------------------------------------------------------------------------


def _named(fleet: Clean, *, folders: bool) -> Iterator[tuple[str, TestPath]]:
    files = fleet.facts.inventory.files
    told = set()
    for word, test in fleet.entries:
        there = files.folders if folders else files.known
        if test.file in there and test.file not in told:
            told.add(test.file)
            yield word, test


def _moved(old: str, new: str) -> Callable[[str], str]:
    return lambda path: new + path[len(old) :] if path == old or path.startswith(old + "/") else path


def _gone(old: str) -> Callable[[str], str | None]:
    return lambda path: None if path == old or path.startswith(old + "/") else path


def rename_file(fleet: Clean) -> Iterator[Mutation]:
    for word, test in _named(fleet, folders=False):
        path = PurePosixPath(test.file)
        new = str(path.with_name(f"{path.stem}_renamed{path.suffix}"))
        yield fleet.listed(f"{test.file} of {word} is renamed to {new}", _moved(test.file, new))


def rename_directory(fleet: Clean) -> Iterator[Mutation]:
    for word, test in _named(fleet, folders=True):
        new = f"{test.file}_renamed"
        yield fleet.listed(f"{test.file}/ of {word} is renamed to {new}/", _moved(test.file, new))


def delete_file(fleet: Clean) -> Iterator[Mutation]:
    for word, test in _named(fleet, folders=False):
        yield fleet.listed(f"{test.file} of {word} is deleted", _gone(test.file))


def delete_directory(fleet: Clean) -> Iterator[Mutation]:
    for word, test in _named(fleet, folders=True):
        yield fleet.listed(f"{test.file}/ of {word} is deleted", _gone(test.file))


def move_file(fleet: Clean) -> Iterator[Mutation]:
    """The first test file of each directory."""
    firsts = {path.rpartition("/")[0]: path for path in reversed(fleet.facts.inventory.tests)}
    for path in sorted(firsts.values()):
        new = f"tests/moved_here/{PurePosixPath(path).name}"
        yield fleet.listed(f"{path} moves to {new}", _moved(path, new))


def _is_owned(fleet: Clean, path: str) -> bool:
    return any(_takes(claim.test, path) for claim in fleet.facts.ownership.claims)


def _takes(test: TestPath, path: str) -> bool:
    """Whether a path would take a file in, were it there."""
    if test.is_glob:
        return glob_reaches(test.file, path)
    return test.file in (path, *folders_of(path))


def _elsewhere(fleet: Clean, dropped: Iterable[Span]) -> str:
    """Why nothing is lost with some entries, if others take in all of their test files."""
    gone = set(dropped)
    claims = fleet.facts.ownership.claims
    rest = [claim.test for claim in claims if claim.test.span not in gone]
    lost = {
        path for claim in claims if claim.test.span in gone for path in fleet.facts.ownership.files[claim.test.path]
    }
    if not lost:
        return "a rerun owns nothing, and what is no test file needs no owner"
    owned = all(any(_takes(test, path) for test in rest) for path in lost)
    return "what another area owns takes them in" if owned else ""


def add_file(fleet: Clean) -> Iterator[Mutation]:
    for folder in sorted({path.rpartition("/")[0] for path in fleet.facts.inventory.tests}):
        path = f"{folder}/test_that_is_new.py"
        if not _is_owned(fleet, path):
            yield fleet.listed(f"{path} is added", lambda path: path, path)


def add_directory(fleet: Clean) -> Iterator[Mutation]:
    for folder in sorted({above for path in fleet.facts.inventory.tests for above in folders_of(path)}):
        path = f"{folder}/that_is_new/deep/test_it.py"
        if not _is_owned(fleet, path):
            yield fleet.listed(f"{path} is added", lambda path: path, path)


# --- A manifest changes -----------------------------------------------------------------------------------------------


def _misspelt(path: str) -> str:
    """A path with two letters of its last name swapped."""
    at = next(
        at
        for at in range(len(path) - 1, 0, -1)
        if path[at].isalpha() and path[at - 1].isalpha() and path[at] != path[at - 1] and "." not in path[at:]
    )
    return path[: at - 1] + path[at] + path[at - 1] + path[at + 1 :]


def misspell_path(fleet: Clean) -> Iterator[Mutation]:
    for word, test in fleet.entries:
        bare, node = test.written.partition("::")[::2]
        stem = bare.removesuffix(".py")
        wrong = _misspelt(stem) + bare[len(stem) :] + (f"::{node}" if node else "")
        yield fleet.edited(f'{word}: "{test.written}" is misspelt', replaced(test.span, wrong))


def drop_entry(fleet: Clean) -> Iterator[Mutation]:
    for word, test in fleet.entries:
        edits = removed(fleet.text(test.span.path), test.span)
        if word == "tests" and edits and edits[0].text != "[]":
            mutation = fleet.edited(f'tests: "{test.written}" is dropped', *edits)
            yield replace(mutation, harmless=_elsewhere(fleet, [test.span]))


def duplicate_entry(fleet: Clean) -> Iterator[Mutation]:
    """An area's first path stands in the list of the area behind it as well."""
    firsts = [test for job in fleet.facts.jobs if job.job.origin.area for test in job.job.tests[:1]]
    lanes: dict[Span, set[str]] = {}
    for claim in fleet.facts.ownership.claims:
        lanes.setdefault(claim.test.span, set()).add(claim.lane)
    for one, other in pairwise({test.span: test for test in sorted(firsts, key=lambda test: test.span)}.values()):
        text = fleet.text(other.span.path)
        line = text.split("\n")[other.span.line - 1]
        if line.lstrip().startswith("tests: [") and not one.written.startswith(("//", "**")):
            after = replace(other.span, column=other.span.end_column)
            edit = Edit(span=after, text=f', "{one.written}"')
            mutation = fleet.edited(f'"{one.written}" is added to the tests of another area', edit)
            apart = lanes.get(one.span, set()).isdisjoint(lanes.get(other.span, set()))
            yield replace(mutation, harmless="each owns it on lanes of its own" if apart else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """A key of a manifest with its value: the names above it, and the lines that it takes."""

    path: str
    above: tuple[str, ...]
    key: str
    line: int
    end: int
    column: int
    value: yaml.Node
    flow: bool

    @property
    def lines(self) -> Span:
        """All of its lines."""
        return Span(path=self.path, line=self.line, column=1, end_line=self.end, end_column=1)

    def below(self, text: str) -> Edit:
        """A line under the key's own, in the same column."""
        place = Span(path=self.path, line=self.end, column=1, end_line=self.end, end_column=1)
        return Edit(span=place, text=" " * self.column + text + "\n")


def _pairs(fleet: Clean) -> Iterator[_Pair]:
    """Every pair of every manifest that has lines of its own."""
    for path in sorted(fleet.case.files):
        if path.startswith("areas/"):
            root = yaml.compose(fleet.text(path), Loader=yaml.CSafeLoader)
            assert isinstance(root, yaml.MappingNode)
            yield from _inside(path, fleet.text(path).split("\n"), root, ())


def _inside(path: str, lines: list[str], node: yaml.Node, above: tuple[str, ...]) -> Iterator[_Pair]:
    if isinstance(node, yaml.SequenceNode):
        for inner in node.value:
            yield from _inside(path, lines, inner, (*above, "-"))
    if not isinstance(node, yaml.MappingNode) or node.flow_style:
        return
    for key, value in node.value:
        start, column = key.start_mark.line, key.start_mark.column
        end = max(value.end_mark.line, start + 1)
        if isinstance(value, yaml.ScalarNode) or getattr(value, "flow_style", False):
            end = value.end_mark.line + (1 if value.end_mark.column else 0)
        while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
            end -= 1
        yield _Pair(
            path=path,
            above=above,
            key=key.value,
            line=start + 1,
            end=end + 1,
            column=column,
            value=value,
            flow=bool(getattr(value, "flow_style", False)),
        )
        yield from _inside(path, lines, value, (*above, key.value))


def _areas(fleet: Clean) -> Iterator[_Pair]:
    return (pair for pair in _pairs(fleet) if pair.above == ("areas",))


def drop_area(fleet: Clean) -> Iterator[Mutation]:
    for pair in _areas(fleet):
        if any(key.value == "tests" for key, _ in pair.value.value):
            spans = [claim.test.span for claim in fleet.facts.ownership.claims if claim.area == pair.key]
            mutation = fleet.edited(f"area {pair.key} is dropped", Edit(span=pair.lines, text=""))
            yield replace(mutation, harmless=_elsewhere(fleet, spans))


def duplicate_area(fleet: Clean) -> Iterator[Mutation]:
    for pair in _areas(fleet):
        lines = fleet.text(pair.path).split("\n")[pair.line - 1 : pair.end - 1]
        copied = "\n".join([lines[0].replace(pair.key, f"{pair.key}_again", 1), *lines[1:]]) + "\n"
        if any(key.value == "tests" for key, _ in pair.value.value):
            end = replace(pair.lines, line=pair.end)
            yield fleet.edited(f"area {pair.key} is copied", Edit(span=end, text=copied))


def drop_mirror(fleet: Clean) -> Iterator[Mutation]:
    every = [pair for pair in _pairs(fleet) if pair.above[:1] == ("areas",)]
    for pair in every:
        if pair.key != "mirrors" or not isinstance(pair.value, yaml.MappingNode):
            continue
        inner = [one for one in every if one.path == pair.path and one.above == (*pair.above, pair.key)]
        for one in inner:
            lines = one.lines if len(inner) > 1 else pair.lines  # nothing may stand empty
            yield fleet.edited(f"mirror {one.key} of {pair.above[1]} is dropped", Edit(span=lines, text=""))


def drop_mirror_where_it_is_required(fleet: Clean) -> Iterator[Mutation]:
    """The same, for areas on whose lane every test has to run, as the workspace file says then."""
    required = fleet.text(FLEET).replace("required: false", "required: true").encode()
    for mutation in drop_mirror(fleet):
        if " amd " in mutation.what:
            yield replace(mutation, files={**mutation.files, FLEET: required})


def swap_tests(fleet: Clean) -> Iterator[Mutation]:
    firsts = [job.job.tests[0] for job in fleet.facts.jobs if job.job.origin.area and job.job.tests]
    in_order = {test.span: test for test in sorted(firsts, key=lambda test: test.span)}
    for one, other in pairwise(in_order.values()):
        if one.span.path == other.span.path and one.path != other.path:
            edits = (replaced(one.span, other.written), replaced(other.span, one.written))
            yield fleet.edited(f'"{one.written}" and "{other.written}" change places', *edits)


def other_lane(fleet: Clean) -> Iterator[Mutation]:
    for pair in _pairs(fleet):
        area = pair.above[:1] == ("areas",) and len(pair.above) == 2
        if area and pair.key == "hardware" and isinstance(pair.value, yaml.ScalarNode):
            machine = "l4" if "mi" in pair.value.value else "mi300"
            text = " " * pair.column + f"hardware: {machine}\n"
            yield fleet.edited(f"area {pair.above[1]} moves to {machine}", Edit(span=pair.lines, text=text))


def drop_rest(fleet: Clean) -> Iterator[Mutation]:
    for pair in _pairs(fleet):
        if pair.above[-1:] == ("parts",) and isinstance(pair.value, yaml.MappingNode):
            words = {key.value: value.value for key, value in pair.value.value}
            if words.get("rest") == "true":
                yield fleet.edited(f"the rest of {pair.above[1]} is dropped", Edit(span=pair.lines, text=""))


def _generated(fleet: Clean) -> Iterator[tuple[_Pair, tuple[JobFacts, ...]]]:
    """The `tests` of areas for which pipegen writes the call, with the jobs that it is written for."""
    for pair in _pairs(fleet):
        if pair.key == "tests" and len(pair.above) == 2 and pair.above[0] == "areas":
            jobs = tuple(job for job in fleet.facts.jobs if job.job.origin.area == pair.above[1])
            if jobs and all(job.generated for job in jobs):
                yield pair, jobs


def narrow(fleet: Clean) -> Iterator[Mutation]:
    """By a word that no test file's name holds."""
    for pair, jobs in _generated(fleet):
        wide = all(not job.job.nodes.keys() & {"k", "m", "parts"} for job in jobs)
        if wide and all(job.job.origin.step is None for job in jobs):
            mutation = fleet.edited(f"area {pair.above[1]} narrows by -k", pair.below("k: zebra"))
            yield replace(mutation, harmless=_run_whole_elsewhere(jobs, fleet))


def _run_whole_elsewhere(jobs: tuple[JobFacts, ...], fleet: Clean) -> str:
    mine = frozenset[str]().union(*(job.collected for job in jobs))
    whole = {
        path
        for job in fleet.facts.jobs
        if job.job.origin.area != jobs[0].job.origin.area
        for ran in job.runs
        if ran.run.k is None and ran.run.m is None
        for path in ran.collection.paths
    }
    return "another job runs all of them whole" if mine <= whole else ""


def _own_files(jobs: tuple[JobFacts, ...], fleet: Clean) -> tuple[str, ...]:
    """Test files that these jobs run and no others, below directories that they name."""
    own = {id(job) for job in jobs}
    others = frozenset[str]().union(*(job.collected for job in fleet.facts.jobs if id(job) not in own))
    named = {test.file for job in jobs for test in job.job.tests}
    mine = frozenset[str]().union(*(job.collected for job in jobs))
    return tuple(sorted(path for path in mine if path not in others and path not in named))


def add_ignore(fleet: Clean) -> Iterator[Mutation]:
    for pair, jobs in _generated(fleet):
        paths = _own_files(jobs, fleet)
        if paths and all("ignore" not in job.job.nodes for job in jobs):
            ignored = f'ignore: ["//{paths[0]}"]'
            yield fleet.edited(f"area {pair.above[1]} ignores {paths[0]}", pair.below(ignored))


def ignore_what_is_not_there(fleet: Clean) -> Iterator[Mutation]:
    for pair, jobs in _generated(fleet):
        if all("ignore" not in job.job.nodes for job in jobs):
            ignored = f'ignore: ["//{jobs[0].job.tests[0].file}/test_nowhere.py"]'
            yield fleet.edited(f"area {pair.above[1]} ignores what is not there", pair.below(ignored))


# --- Commands change --------------------------------------------------------------------------------------------------


def _targets(fleet: Clean) -> Iterator[tuple[JobFacts, Ran, Named, Span]]:
    """Every path that authored commands name and whose columns are known, each place once."""
    told = set()
    for job in fleet.facts.jobs:
        for ran in job.runs:
            for target in ran.run.targets:
                if isinstance(target, Named) and is_authored(job.job, target.place):
                    span = span_of(job.job, target.place, target.written)
                    if span not in told and _under(fleet, span) == target.written:
                        told.add(span)
                        yield job, ran, target, span


def _under(fleet: Clean, span: Span) -> str:
    line = fleet.text(span.path).split("\n")[span.line - 1]
    return line[span.column - 1 : span.end_column - 1]


def misspell_in_command(fleet: Clean) -> Iterator[Mutation]:
    for _, _, target, span in _targets(fleet):
        bare, node = target.written.partition("::")[::2]
        stem = bare.removesuffix(".py")
        wrong = _misspelt(stem) + bare[len(stem) :] + (f"::{node}" if node else "")
        yield fleet.edited(f'"{target.written}" is misspelt', Edit(span=span, text=wrong))


def ignore_in_command(fleet: Clean) -> Iterator[Mutation]:
    for job, ran, target, span in _targets(fleet):
        if target.path in fleet.facts.inventory.files.folders and job.job.tests:
            area = job.job.origin.area
            paths = _own_files(tuple(one for one in fleet.facts.jobs if one.job.origin.area == area), fleet)
            inside = [path for path in paths if path.startswith(target.path + "/") and path in ran.collection.paths]
            if inside:
                written = target.written.rstrip("/") + inside[0][len(target.path) :]
                edit = Edit(span=replace(span, column=span.end_column), text=f" --ignore={written}")
                yield fleet.edited(f"{inside[0]} is left out", edit)


def drop_command(fleet: Clean) -> Iterator[Mutation]:
    """A command that runs what its step owns, or says under `also` that it runs."""
    files = fleet.facts.inventory.files
    for job, _, target, span in _targets(fleet):
        line = fleet.text(span.path).split("\n")[span.line - 1]
        said = [path for test in (*job.job.tests, *job.job.also) for path in taken_in(test, fleet.paths, files)]
        runs = [ran for ran in job.runs if ran.run.place.command == target.place.command]
        alone = {path for ran in runs for path in ran.collection.paths}
        others = {path for ran in job.runs if ran not in runs for path in ran.collection.paths}
        if line.lstrip().startswith("- ") and (alone - others) & set(said):
            whole = Span(path=span.path, line=span.line, column=1, end_line=span.line + 1, end_column=1)
            yield fleet.edited(f'"{line.strip()}" is dropped', Edit(span=whole, text=""))


_OWNED: Final = "every file still has an owner and a job: what a lane loses is for `pipegen diff` to show"
KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "rename-file": Kind(mutations=rename_file),
        "rename-directory": Kind(mutations=rename_directory),
        "delete-file": Kind(mutations=delete_file),
        "delete-directory": Kind(mutations=delete_directory),
        "move-file": Kind(mutations=move_file),
        "add-file": Kind(mutations=add_file),
        "add-directory": Kind(mutations=add_directory),
        "misspell-path": Kind(mutations=misspell_path),
        "drop-entry": Kind(mutations=drop_entry),
        "duplicate-entry": Kind(mutations=duplicate_entry),
        "drop-area": Kind(mutations=drop_area),
        "duplicate-area": Kind(mutations=duplicate_area),
        "drop-mirror": Kind(mutations=drop_mirror, excuse="the lane is not required, so no test has to run there"),
        "drop-mirror-where-required": Kind(mutations=drop_mirror_where_it_is_required),
        "swap-tests": Kind(mutations=swap_tests, excuse=_OWNED),
        "other-lane": Kind(mutations=other_lane, excuse=_OWNED),
        "drop-rest": Kind(mutations=drop_rest),
        "narrow": Kind(mutations=narrow),
        "add-ignore": Kind(mutations=add_ignore),
        "ignore-nothing": Kind(mutations=ignore_what_is_not_there),
        "misspell-in-command": Kind(mutations=misspell_in_command),
        "ignore-in-command": Kind(mutations=ignore_in_command),
        "drop-command": Kind(mutations=drop_command),
    }
)
"""All kinds, by name."""
