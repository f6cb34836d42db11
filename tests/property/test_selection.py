"""The invariants of selection, on random workspaces and random builds."""

import shlex

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pipegen import shell
from pipegen.dollar import escape_tree
from pipegen.emit.yaml import to_yaml
from pipegen.model import Job, Outcome, Unselected
from pipegen.patterns import PatternError, PatternIndex, Patterns
from pipegen.select import BuildPlan, ChangedFiles, Circumstances, Edits, select
from pipegen.select.decide import all_ignored
from pipegen.select.reach import Reach
from tests.support.random_workspaces import FILES, RandomWorkspace, builds, changes, changing, fleets, workspaces
from tests.support.selection import Fleet, fleet, keys

EXAMPLES = settings(max_examples=80)


def _select(small: Fleet, circumstances: Circumstances) -> BuildPlan:
    return select(small.expansion, small.workspace, circumstances)


@EXAMPLES
@given(fleets(), builds(), changes(), st.sampled_from(FILES))
def test_one_more_changed_file_never_deselects_a_job(
    small: Fleet, build: Circumstances, changed: tuple[str, ...], more: str
) -> None:
    """The one exception: where all are ignored files, they select nothing."""
    before, after = changing(small, build, changed), changing(small, build, (*changed, more))
    fewer, all_of_them = keys(_select(small, before)), keys(_select(small, after))
    if "RUN_ALL" not in build.environment and "ready" not in build.labels and all_ignored(small.workspace, after):
        assert all_of_them == set()
    else:
        assert fewer <= all_of_them


@EXAMPLES
@given(fleets(), builds(), changes())
def test_a_change_set_that_is_not_known_selects_no_fewer(
    small: Fleet, build: Circumstances, changed: tuple[str, ...]
) -> None:
    """Whichever files changed; what was edited in the workspace itself cannot be told then."""
    files = Circumstances(
        changes=ChangedFiles(paths=changed),
        environment=build.environment,
        labels=build.labels,
        schedules=build.schedules,
    )
    assert keys(_select(small, files)) <= keys(_select(small, changing(small, build, None)))


@EXAMPLES
@given(fleets(), builds(), changes())
def test_all_holds_every_selection(small: Fleet, build: Circumstances, changed: tuple[str, ...]) -> None:
    every = keys(_select(small, Circumstances(every=True, environment=build.environment)))
    assert every == {job.key for job in small.expansion.jobs}
    assert keys(_select(small, changing(small, build, changed))) <= every


@st.composite
def situations(draw: st.DrawFn) -> tuple[Fleet, Circumstances]:
    """A workspace and a build of any kind: changes known or not, everything gated, some keys alone, edits apart."""
    small = draw(fleets())
    build = draw(builds())
    circumstances = changing(small, build, draw(st.one_of(st.none(), changes(), changes(), changes())))
    some = st.lists(st.sampled_from([job.key for job in small.expansion.jobs]), unique=True, min_size=1, max_size=2)
    return small, Circumstances(
        changes=circumstances.changes,
        edits=draw(st.sampled_from([circumstances.edits, circumstances.edits, Edits()])),
        environment={**build.environment, **draw(st.sampled_from([{}, {}, {"NOAUTO": "1"}]))},
        labels=build.labels,
        schedules=build.schedules,
        only=tuple(draw(st.one_of(st.just([]), st.just([]), some))),
    )


@EXAMPLES
@given(situations())
def test_nothing_dangles(situation: tuple[Fleet, Circumstances]) -> None:
    """What is emitted waits for what is emitted alone; what runs, for what runs."""
    small, circumstances = situation
    plan = _select(small, circumstances)
    running = keys(plan)
    emitted = {one.job.key for one in plan.emitted}
    for one in plan.emitted:
        awaited = {dependency.key for dependency in one.job.depends_on or ()}
        assert awaited <= emitted
        if one.outcome is Outcome.RUN:
            assert awaited <= running, "its prerequisites run, and their gates are open"
        if one.gated:
            assert set(one.job.gate.depends_on) <= emitted
            skipped = keys(plan, Outcome.SKIPPED)
            assert not (awaited | set(one.job.gate.depends_on)) & skipped, "opening the gate would run it without them"


@EXAMPLES
@given(situations())
def test_a_gate_stands_before_its_job_and_opens_that_alone(situation: tuple[Fleet, Circumstances]) -> None:
    small, circumstances = situation
    plan = _select(small, circumstances)
    document = small.document(plan)
    gated = {one.job.gate.key: one.job.key for one in plan.planned if one.gated}
    waiting: dict[str, list[object]] = {}
    for group in document.groups:
        for number, step in enumerate(group.steps):
            if step.is_gate:
                following = group.steps[number + 1]
                assert not following.is_gate
                assert following.job is step.job
            depends_on = step.step.get("depends_on")
            for key in depends_on if isinstance(depends_on, list) else []:
                if key in gated:
                    waiting.setdefault(str(key), []).append(step.step["key"])
    assert waiting == {gate: [job] for gate, job in gated.items()}


@EXAMPLES
@given(situations())
def test_every_job_has_a_reason_with_a_place(situation: tuple[Fleet, Circumstances]) -> None:
    small, circumstances = situation
    plan = _select(small, circumstances)
    assert [one.job for one in plan.planned] == list(small.expansion.jobs)
    for one in plan.planned:
        reason = one.reason
        assert reason.text
        assert "\n" not in reason.text
        assert reason.span.line >= 1
        assert reason.span.path in {
            ".buildkite/pipegen.yaml",
            ".buildkite/hardware.yaml",
            "areas/a.yaml",
            "areas/b.yaml",
        }
        if reason.pattern is not None:
            assert isinstance(circumstances.changes, ChangedFiles)
            assert reason.file in circumstances.changes.paths
        assert (one.skip is not None) == (one.outcome is Outcome.SKIPPED)
        assert one.skip is None or len(one.skip) <= 70
    assert (plan.nothing is not None) == (not plan.emitted)


@EXAMPLES
@given(situations())
def test_what_becomes_of_unselected_jobs_selects_none_of_them(situation: tuple[Fleet, Circumstances]) -> None:
    small, circumstances = situation
    by_setting = {setting: _select(small.selecting(unselected=setting), circumstances) for setting in Unselected}
    assert len({frozenset(keys(plan)) for plan in by_setting.values()}) == 1
    assert not keys(by_setting[Unselected.BLOCK], Outcome.SKIPPED)
    assert not keys(by_setting[Unselected.OMIT], Outcome.SKIPPED)


@EXAMPLES
@given(fleets(), builds(), st.data())
def test_only_is_the_named_jobs_and_what_they_wait_for(small: Fleet, build: Circumstances, data: st.DataObject) -> None:
    by_key = {job.key: job for job in small.expansion.jobs}
    named = data.draw(st.lists(st.sampled_from(sorted(by_key)), unique=True, min_size=1, max_size=3))
    plan = _select(small, Circumstances(only=tuple(named), environment=build.environment, labels=build.labels))
    needed = set(named)
    while more := {d.key for key in needed for d in by_key[key].depends_on or ()} - needed:
        needed |= more
    assert keys(plan) == {one.job.key for one in plan.emitted} == needed


@settings(max_examples=40)
@given(workspaces(), builds(), changes())
def test_no_order_changes_the_output_bytes(
    given_: RandomWorkspace, build: Circumstances, changed: tuple[str, ...]
) -> None:
    """Of files, of areas and steps in them, and of changes."""
    texts = []
    for backwards in (False, True):
        small = fleet(given_.files(backwards=backwards))
        paths = changed[::-1] if backwards else changed
        plan = _select(small, changing(small, build, paths))
        tree = escape_tree(small.document(plan).pipeline)
        texts.append((to_yaml(tree) if plan.emitted else plan.nothing, [one.reason.text for one in plan.planned]))
    assert texts[0] == texts[1]


def _collects(job: Job, path: str) -> bool:
    """Whether one of the job's own pytest calls would be given a file, by the words of that call alone."""
    return any(_call_collects(command.run, path) for command in job.commands)


def _call_collects(call: str, path: str) -> bool:
    program, *words = shlex.split(call)
    assert program == "pytest"
    ignored = [word.removeprefix("--ignore=") for word in words if word.startswith("--ignore=")]
    globs = [word.removeprefix("--ignore-glob=") for word in words if word.startswith("--ignore-glob=")]
    entries = [word.partition("::")[0].rstrip("/") for word in words if not word.startswith("--")]
    left_out = any(path == one.rstrip("/") or path.startswith(one.rstrip("/") + "/") for one in ignored) or any(
        shell.glob_reaches(one, path) for one in globs
    )
    given_ = any(shell.glob_reaches(one, path) for one in entries)
    return given_ and not left_out


@EXAMPLES
@given(fleets(), st.sampled_from([path for path in FILES if path.startswith("tests/")]))
def test_a_changed_test_concerns_exactly_the_jobs_whose_call_runs_it(small: Fleet, path: str) -> None:
    reach = Reach.of(small.expansion)
    found = {small.expansion.jobs[touch.job].key for touch in reach.tests.running(path)}
    assert found == {job.key for job in small.expansion.jobs if job.tests and _collects(job, path)}


NAMES = st.sampled_from(["a", "b", "ab", "*", "a*", "**", "?", "[ab]"])
PATTERN = st.builds(
    lambda sign, names, back: sign + "/".join(names) + back,
    st.sampled_from(["", "", "", "!"]),
    st.lists(NAMES, min_size=1, max_size=3),
    st.sampled_from(["", "/"]),
)
PATHS = st.lists(
    st.lists(st.sampled_from(["a", "b", "ab", "c"]), min_size=1, max_size=4).map("/".join), min_size=1, max_size=8
)


def _compiled(texts: list[str]) -> Patterns:
    try:
        return Patterns.compile(texts)
    except PatternError:
        assume(False)
        raise


@settings(max_examples=300)
@given(st.lists(st.lists(PATTERN, max_size=4), max_size=5), PATHS)
def test_an_index_of_lists_answers_like_each_list(lists: list[list[str]], paths: list[str]) -> None:
    compiled = [_compiled(texts) for texts in lists]
    index = PatternIndex.of(compiled)
    for path in paths:
        one_by_one = [
            (number, match) for number, each in enumerate(compiled) if (match := each.match(path)) is not None
        ]
        assert list(index.taking(path)) == one_by_one
        assert index.takes(path) is bool(one_by_one)
    first = {
        number: next((path, match) for path in paths if (match := each.match(path)) is not None)
        for number, each in enumerate(compiled)
        if any(each.match(path) is not None for path in paths)
    }
    assert index.first(paths) == first
