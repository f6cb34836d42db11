"""Each word of `when`, by itself and beside others, against each kind of cause."""

import pytest

from pipegen.model import Outcome
from pipegen.select import Circumstances, Edit, Edits, Everything
from tests.support.selection import ENGINE, IMAGES, Fleet, fleet, keys, planned

ALWAYS = {"image-amd"}
"""Runs in every build of `FILES`."""


@pytest.fixture(scope="module")
def small() -> Fleet:
    return fleet()


@pytest.mark.parametrize(
    ("changed", "selected"),
    [
        ((), set()),
        (("src/engine/core.py",), {"engine", "amd-engine", "image", "base"}),
        (("src/engine/cpu/core.py",), set()),
        (("src/rocm/core.py",), {"amd-engine"}),
        (("src/deep/core.py",), set()),
        (("tests/engine/test_a.py",), {"engine", "amd-engine", "image", "base"}),
        (("tests/engine/conftest.py",), {"engine", "amd-engine", "image", "base"}),
        (("tests/engine/deep/test_a.py",), {"amd-engine"}),
        (("tests/engine_more/test_a.py",), set()),
        (("docker/Dockerfile",), {"image", "base"}),
        (("setup.py",), {"engine", "amd-engine", "image", "base"}),
        (("csrc/cpu/a.cpp",), set()),
        (("sub/setup.py",), set()),
        (("docs/a.rst", "src/rocm/core.py"), {"amd-engine"}),
        (("nobody/knows.py",), set()),
    ],
)
def test_changed_files_select_what_runs_and_what_guards_them(
    small: Fleet, changed: tuple[str, ...], selected: set[str]
) -> None:
    assert keys(small.plan(*changed)) == ALWAYS | selected


def test_a_nested_area_that_has_no_job_on_a_lane_leaves_its_tests_to_the_outer_one(small: Fleet) -> None:
    """`engine/deep` is on cuda alone: there `engine` leaves it out, and on amd `engine` runs it."""
    reason = planned(small.plan("tests/engine/deep/test_a.py"), "amd-engine").reason
    assert (reason.file, reason.pattern) == ("tests/engine/deep/test_a.py", "engine/")


def test_ignored_files_alone_select_nothing_at_all(small: Fleet) -> None:
    plan = small.plan("docs/a.rst", "src/engine/notes.md")
    assert keys(plan, Outcome.OMITTED) == {job.key for job in small.expansion.jobs}
    assert plan.nothing == 'all 2 changed files are ignored, "docs/a.rst" by "docs/"'
    assert not plan.emitted


def test_an_empty_change_set_is_not_all_ignored(small: Fleet) -> None:
    plan = small.plan()
    assert plan.nothing is None
    assert keys(plan) == ALWAYS


def test_tests_select_nothing_where_the_workspace_says_so(small: Fleet) -> None:
    plan = small.selecting(owned_tests=False).plan("tests/engine/test_a.py")
    assert keys(plan) == ALWAYS


def _with_when(when: str) -> Fleet:
    step = f"  - {{key: job, hardware: cpu, when: {when}, sources: [src/job/], commands: [make]}}\n"
    return fleet({"areas/images.yaml": IMAGES + step})


NIGHTLY = Circumstances(environment={"NIGHTLY": "1"})
RUN_ALL = Circumstances(environment={"RUN_ALL": "1"})
READY = Circumstances(labels=("ready",))
UNKNOWN = Circumstances(changes=Everything(cause="git is gone"))
EDITED = Circumstances(edits=Edits(jobs={"job": Edit(what="is new", file="areas/images.yaml")}))
TEMPLATE = Circumstances(edits=Edits(templates={"plain": Edit(what="changed", file="templates/plain.yaml.j2")}))
HARDWARE = Circumstances(edits=Edits(hardware={"cpu": Edit(what="changed", file=".buildkite/hardware.yaml")}))
EDITS_UNKNOWN = Circumstances(edits=Edits(unknown=Edit(what="nobody knows", file=".buildkite/pipegen.yaml")))
NOTHING = Circumstances()

CAUSES: dict[str, tuple[Circumstances, tuple[str, ...]]] = {
    "nothing": (NOTHING, ()),
    "source": (NOTHING, ("src/job/a.py",)),
    "run_all": (NOTHING, ("setup.py",)),
    "nightly": (NIGHTLY, ()),
    "switch": (RUN_ALL, ()),
    "label": (READY, ()),
    "unknown": (UNKNOWN, ()),
    "entry": (EDITED, ()),
    "template": (TEMPLATE, ()),
    "hardware": (HARDWARE, ()),
    "edits unknown": (EDITS_UNKNOWN, ()),
}


@pytest.mark.parametrize(
    ("when", "runs_by"),
    [
        (
            "changed",
            "source run_all switch label unknown entry template hardware edits_unknown",
        ),
        ("sources", "source unknown entry template hardware"),
        ("nightly", "nightly label entry template hardware"),
        ("weekly", "entry template hardware"),
        ("manual", ""),
        ("always", "nothing source run_all nightly switch label unknown entry template hardware edits_unknown"),
        ("[manual, nightly]", "nightly label entry template hardware"),
        ("[sources, nightly]", "source nightly label unknown entry template hardware"),
        (
            "[changed, nightly]",
            "source run_all nightly switch label unknown entry template hardware edits_unknown",
        ),
    ],
)
def test_what_each_word_of_when_answers_to(when: str, runs_by: str) -> None:
    given = _with_when(when)
    running = {
        cause
        for cause, (known, changed) in CAUSES.items()
        if planned(given.plan(*changed, known=known), "job").outcome is Outcome.RUN
    }
    assert running == {cause.replace("_", " ") if cause == "edits_unknown" else cause for cause in runs_by.split()}


def test_a_named_schedule_counts_like_one_that_the_build_says() -> None:
    given = _with_when("weekly")
    assert planned(given.plan(known=Circumstances(schedules=("weekly",))), "job").outcome is Outcome.RUN


def test_a_job_of_sources_that_has_none_never_runs_by_itself() -> None:
    step = "  - {key: job, hardware: cpu, when: sources, commands: [make]}\n"
    given = fleet({"areas/images.yaml": IMAGES + step})
    assert planned(given.plan(known=UNKNOWN), "job").outcome is Outcome.GATED


def test_a_job_without_sources_and_tests_runs_with_everything() -> None:
    step = "  - {key: job, hardware: cpu, commands: [make]}\n"
    given = fleet({"areas/images.yaml": IMAGES + step})
    assert planned(given.plan("setup.py"), "job").outcome is Outcome.RUN
    assert planned(given.plan("src/a.py"), "job").reason.text == "it has no tests and no sources"


class TestEditedGate:
    """`edited: gate`: an entry that changed does not run by that, and has a gate whatever others have."""

    @pytest.mark.parametrize("unselected", ["block", "skip", "omit"])
    def test_an_edited_job_has_a_gate(self, unselected: str) -> None:
        text = fleet_workspace(f"edited: gate, unselected: {unselected}")
        given = fleet({".buildkite/pipegen.yaml": text})
        edits = Edits(jobs={"engine": Edit(what="is new", file="areas/engine.yaml")})
        plan = given.plan(known=Circumstances(edits=edits))
        assert planned(plan, "engine").outcome is Outcome.GATED
        assert planned(plan, "engine").reason.text == "its entry is new, which is gated (edited: gate)"
        assert planned(plan, "amd-engine").outcome is not Outcome.RUN

    def test_what_it_guards_still_runs_it(self) -> None:
        given = fleet({".buildkite/pipegen.yaml": fleet_workspace("edited: gate")})
        edits = Edits(jobs={"engine": Edit(what="is new", file="areas/engine.yaml")})
        plan = given.plan("src/engine/a.py", known=Circumstances(edits=edits))
        assert planned(plan, "engine").outcome is Outcome.RUN

    def test_a_job_by_hand_is_not_marked(self) -> None:
        given = fleet({".buildkite/pipegen.yaml": fleet_workspace("edited: gate, unselected: omit")})
        edits = Edits(jobs={"base": Edit(what="is new", file="areas/images.yaml")})
        assert planned(given.plan(known=Circumstances(edits=edits)), "base").outcome is Outcome.OMITTED


def fleet_workspace(selection: str) -> str:
    """The workspace with other settings of selection."""
    return f"""\
version: 1
owners: {{core: {{github: "@org/core"}}}}
selection: {{{selection}}}
schedules: {{nightly: {{environment: {{NIGHTLY: "1"}}}}}}
lanes: {{cuda: {{}}, amd: {{gate: {{depends_on: [image-amd]}}}}, cpu: {{}}}}
"""


class TestReasons:
    """The first cause in the order of precedence is the reason, with the file, the pattern and the place."""

    def test_a_source(self, small: Fleet) -> None:
        reason = planned(small.plan("src/engine/b.py", "src/engine/a.py"), "engine").reason
        assert reason.text == '"src/engine/a.py" changed, which its source "src/engine/" guards'
        assert (reason.file, reason.pattern) == ("src/engine/a.py", "src/engine/")
        line = ENGINE.splitlines()[reason.span.line - 1]
        assert (reason.span.path, line[reason.span.column - 1 :][:11]) == ("areas/engine.yaml", "src/engine/")

    def test_tests_come_before_sources(self, small: Fleet) -> None:
        reason = planned(small.plan("src/engine/a.py", "tests/engine/test_a.py"), "engine").reason
        assert reason.text == '"tests/engine/test_a.py" changed, which it runs as a test'

    def test_run_all_comes_before_what_changed(self, small: Fleet) -> None:
        plan = small.plan("src/engine/a.py", "setup.py")
        reason = planned(plan, "engine").reason
        assert reason.text == '"setup.py" changed, and "setup.py" runs everything'
        assert plan.run_all == reason

    def test_a_switch_comes_before_run_all(self, small: Fleet) -> None:
        plan = small.plan("setup.py", known=RUN_ALL)
        assert planned(plan, "engine").reason.text == "RUN_ALL=1 runs everything"
        assert planned(plan, "image-amd").reason.text == "it runs in every build (when: always)"

    def test_a_label_is_both_a_switch_and_a_schedule(self, small: Fleet) -> None:
        plan = small.plan(known=READY)
        assert planned(plan, "engine").reason.text == 'label "ready" runs everything'
        assert planned(plan, "engine-deep").reason.text == 'label "ready" makes this a nightly build'
        assert set(plan.schedules) == {"nightly"}

    def test_why_not(self, small: Fleet) -> None:
        plan = small.plan("src/rocm/a.py")
        assert planned(plan, "engine").reason.text == "no changed file is of its tests or sources"
        assert planned(plan, "engine-deep").reason.text == "it runs in nightly builds, and this is none"
        assert planned(small.plan(), "base").reason.text == "it runs by hand alone (when: manual)"

    def test_a_prerequisite_names_what_waits_for_it_and_where(self, small: Fleet) -> None:
        reason = planned(small.plan("docker/Dockerfile"), "base").reason
        assert reason.text == '"image" waits for it'
        line = IMAGES.splitlines()[reason.span.line - 1]
        assert line[reason.span.column - 1 :].startswith("base]")

    def test_names_of_files_cannot_end_a_line(self, small: Fleet) -> None:
        plan = small.plan('docs/a\n- command: "evil"\u2028.md')
        assert plan.nothing == ('the changed file is ignored, "docs/a\\n- command: \\"evil\\"\\u2028.md" by "docs/"')
