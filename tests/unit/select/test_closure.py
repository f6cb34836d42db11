"""What a decision about one job means for others: prerequisites, gates, skipped and omitted steps."""

import pytest

from pipegen.diagnostics import WrongUsageError
from pipegen.model import Outcome
from pipegen.select import BuildPlan, Circumstances, Edit, Edits
from tests.support.selection import IMAGES, WORKSPACE, Fleet, fleet, keys, planned

CHAIN = """\
  - {key: first, hardware: cpu, when: manual, commands: [make]}
  - {key: second, hardware: cpu, when: nightly, depends_on: [first], commands: [make]}
  - {key: third, hardware: cpu, sources: [src/third/], depends_on: [second], commands: [make]}
  - {key: fourth, hardware: cpu, when: manual, depends_on: [third], commands: [make]}
"""


def _fleet(unselected: str, edited: str = "run") -> Fleet:
    selection = f"selection:\n  unselected: {unselected}\n  edited: {edited}\n"
    return fleet(
        {
            ".buildkite/pipegen.yaml": WORKSPACE.replace("selection:\n", selection),
            "areas/images.yaml": IMAGES + CHAIN,
        }
    )


def _missing(plan: BuildPlan) -> list[tuple[str, str]]:
    """What emitted jobs and gates wait for that is no step of the pipeline."""
    emitted = {one.job.key for one in plan.emitted}
    awaited = [(one.job.key, dependency.key) for one in plan.emitted for dependency in one.job.depends_on or ()]
    awaited += [(one.job.gate.key, key) for one in plan.emitted if one.gated for key in one.job.gate.depends_on]
    return [(job, key) for job, key in awaited if key not in emitted]


@pytest.mark.parametrize("unselected", ["block", "skip", "omit"])
def test_prerequisites_are_selected_through_any_number_of_jobs(unselected: str) -> None:
    plan = _fleet(unselected).plan("src/third/a.c")
    assert {"first", "second", "third"} <= keys(plan)
    assert planned(plan, "second").reason.text == '"third" waits for it'
    assert planned(plan, "first").reason.text == '"second" waits for it'
    assert planned(plan, "fourth").outcome is not Outcome.RUN
    assert _missing(plan) == []


def test_what_is_not_selected_waits_at_its_own_gate() -> None:
    plan = _fleet("block").plan("src/third/a.c")
    assert keys(plan, Outcome.GATED) == {one.job.key for one in plan.planned} - keys(plan)
    gates = [one.job.gate.key for one in plan.planned if one.gated]
    assert len(gates) == len(set(gates))
    assert not any(key in gates for one in plan.planned for key in one.job.gate.depends_on)


def test_skipped_steps_stay_and_say_why() -> None:
    plan = _fleet("skip").plan("src/third/a.c")
    skipped = planned(plan, "engine")
    assert (skipped.outcome, skipped.skip) == (Outcome.SKIPPED, "no changed file is of its tests or sources")
    assert keys(plan, Outcome.OMITTED) == keys(plan, Outcome.GATED) == set()
    assert planned(plan, "third").skip is None


def test_a_long_reason_fits_what_buildkite_takes() -> None:
    """Buildkite: at most 70 characters."""
    step = (
        "  - {key: job, hardware: cpu, when: [nightly, weekly, "
        + ", ".join(f"schedule-number-{number}" for number in range(9))
        + "], commands: [make]}\n"
    )
    schedules = "".join(f"  schedule-number-{number}: {{}}\n" for number in range(9))
    text = WORKSPACE.replace("selection:\n", "selection:\n  unselected: skip\n")
    given = fleet(
        {
            ".buildkite/pipegen.yaml": text.replace("  weekly: {}\n", "  weekly: {}\n" + schedules),
            "areas/images.yaml": IMAGES + step,
        }
    )
    skip = planned(given.plan(), "job").skip
    assert skip is not None
    assert len(skip) <= 70
    assert skip.startswith("it runs in nightly, weekly, schedule-number-0,")
    assert skip.endswith("…")


def test_omitted_steps_are_gone() -> None:
    plan = _fleet("omit").plan("src/third/a.c")
    assert {one.job.key for one in plan.emitted} == keys(plan) == {"first", "second", "third", "image-amd"}


def test_nothing_selected_is_said() -> None:
    given = fleet(
        {
            ".buildkite/pipegen.yaml": WORKSPACE.replace("selection:\n", "selection:\n  unselected: omit\n"),
            "areas/images.yaml": IMAGES.replace("when: always", "when: nightly"),
        }
    )
    assert given.plan("src/unknown.c").nothing == "no changed file concerns a job"
    assert given.plan().nothing == "no file changed"
    assert given.plan("src/engine/a.py").nothing is None


@pytest.mark.parametrize("unselected", ["skip", "omit"])
def test_what_waits_behind_a_gate_is_behind_one_itself(unselected: str) -> None:
    """Opening the gate of a job whose prerequisites were skipped would run it without them, omitted: never."""
    edits = Edits(jobs={"fourth": Edit(what="is new", file="areas/images.yaml")})
    given = _fleet(unselected, "gate")
    plan = given.plan(known=Circumstances(edits=edits))
    assert "fourth" not in keys(plan, Outcome.GATED), "it is run by hand: its entry does not matter"
    edits = Edits(jobs={"third": Edit(what="is new", file="areas/images.yaml")})
    plan = given.plan(known=Circumstances(edits=edits))
    assert keys(plan, Outcome.GATED) == {"first", "second", "third"}
    assert planned(plan, "second").reason.text == '"third" waits for it, behind a gate'
    assert _missing(plan) == []


def test_what_a_gate_waits_for_is_there() -> None:
    """The gates of lane amd wait for image-amd, which nothing else asks for here."""
    given = fleet(
        {
            ".buildkite/pipegen.yaml": WORKSPACE.replace(
                "selection:\n", "selection:\n  unselected: omit\n  edited: gate\n"
            ),
            "areas/images.yaml": IMAGES.replace("when: always", "when: manual"),
        }
    )
    edits = Edits(jobs={"amd-engine": Edit(what="is new", file="areas/engine.yaml")})
    plan = given.plan(known=Circumstances(edits=edits))
    assert keys(plan, Outcome.GATED) == {"amd-engine", "image-amd"}
    assert _missing(plan) == []


def test_a_gate_may_wait_for_what_its_job_does_not() -> None:
    """Under `omit` a gate that waits for a missing step could never be opened."""
    text = WORKSPACE.replace("selection:\n", "selection:\n  unselected: omit\n  edited: gate\n")
    given = fleet(
        {
            ".buildkite/pipegen.yaml": text.replace("  cuda: {}", "  cuda: {gate: {depends_on: [approval]}}"),
            "areas/images.yaml": IMAGES + "  - {key: approval, hardware: cpu, when: manual, commands: [make]}\n",
        }
    )
    edits = Edits(jobs={"engine-deep": Edit(what="is new", file="areas/engine.yaml")})
    plan = given.plan(known=Circumstances(edits=edits))
    assert keys(plan, Outcome.GATED) == {"engine-deep", "image", "base", "approval"}
    assert _missing(plan) == []


def test_jobs_that_have_a_gate_anyway_keep_their_own_reason() -> None:
    edits = Edits(jobs={"third": Edit(what="is new", file="areas/images.yaml")})
    plan = _fleet("block", "gate").plan(known=Circumstances(edits=edits))
    assert planned(plan, "third").reason.text == "its entry is new, which is gated (edited: gate)"
    assert planned(plan, "second").reason.text == "it runs in nightly builds, and this is none"


class TestOnly:
    def test_the_named_jobs_and_what_they_wait_for(self) -> None:
        plan = fleet().plan(known=Circumstances(only=("engine",)))
        assert keys(plan) == {"engine", "image", "base"}
        assert {one.outcome for one in plan.planned} == {Outcome.RUN, Outcome.OMITTED}
        assert planned(plan, "engine").reason.text == "--only names it"
        assert planned(plan, "amd-engine").reason.text == "--only names other jobs"

    def test_a_mirror_is_named_by_its_own_key(self) -> None:
        plan = fleet().plan(known=Circumstances(only=("amd-engine",)))
        assert keys(plan) == {"amd-engine", "image-amd"}

    def test_from_the_environment(self) -> None:
        plan = fleet().plan(known=Circumstances(environment={"ONLY_KEYS": '["engine", "base"]'}))
        assert keys(plan) == {"engine", "image", "base"}
        assert planned(plan, "engine").reason.text == "ONLY_KEYS names it"

    def test_an_empty_value_says_nothing(self) -> None:
        assert keys(fleet().plan(known=Circumstances(environment={"ONLY_KEYS": ""}))) == {"image-amd"}

    def test_changed_files_do_not_matter(self) -> None:
        plan = fleet().plan("docs/a.md", known=Circumstances(only=("base",)))
        assert keys(plan) == {"base"}

    @pytest.mark.parametrize(
        ("key", "message"),
        [
            ("engin", 'unknown key "engin" in --only: did you mean "engine"?'),
            ("old-base", 'unknown key "old-base" in --only: it is "base" now'),
        ],
    )
    def test_an_unknown_key_is_refused(self, key: str, message: str) -> None:
        given = fleet({"areas/images.yaml": IMAGES.replace("{key: base,", "{key: base, was: [old-base],")})
        with pytest.raises(WrongUsageError) as error:
            given.plan(known=Circumstances(only=(key,)))
        assert str(error.value) == message

    @pytest.mark.parametrize("value", ["engine", "{}", "[]", "[1]", '"engine"', "[", "[" * 100_000])
    def test_a_value_that_is_no_list_of_keys_is_refused(self, value: str) -> None:
        with pytest.raises(WrongUsageError, match="expected a JSON list of keys") as error:
            fleet().plan(known=Circumstances(environment={"ONLY_KEYS": value}))
        assert str(error.value).startswith("ONLY_KEYS is ")

    def test_all_and_only_exclude_each_other(self) -> None:
        with pytest.raises(WrongUsageError, match="--all and --only exclude each other"):
            fleet().plan(known=Circumstances(only=("engine",), every=True))


class TestPrecedence:
    """gate_all > only > run_all switches > all files ignored > always > schedule > run_all patterns > changed."""

    def test_all_is_every_job_whatever_the_build_says(self) -> None:
        known = Circumstances(every=True, environment={"NOAUTO": "1", "ONLY_KEYS": '["base"]'})
        plan = fleet().plan("docs/a.md", known=known)
        assert keys(plan) == {one.job.key for one in plan.planned}

    def test_gate_all_gates_image_builds_too(self) -> None:
        known = Circumstances(environment={"NOAUTO": "1", "RUN_ALL": "1", "ONLY_KEYS": '["base"]'})
        plan = fleet().plan("docs/a.md", known=known)
        assert keys(plan, Outcome.GATED) == {one.job.key for one in plan.planned}
        assert planned(plan, "image-amd").reason.text == "NOAUTO=1 gates everything"

    def test_only_comes_before_switches_that_run_all(self) -> None:
        known = Circumstances(environment={"RUN_ALL": "1", "ONLY_KEYS": '["base"]'})
        assert keys(fleet().plan(known=known)) == {"base"}

    def test_a_switch_that_runs_all_comes_before_ignored_files(self) -> None:
        plan = fleet().plan("docs/a.md", known=Circumstances(environment={"RUN_ALL": "1"}))
        assert keys(plan) == {"engine", "amd-engine", "image", "base", "image-amd"}

    @pytest.mark.parametrize("known", [Circumstances(environment={"NIGHTLY": "1"}), Circumstances()])
    def test_ignored_files_come_before_always_and_schedules(self, known: Circumstances) -> None:
        assert keys(fleet().plan("docs/a.md", known=known)) == set()

    def test_a_file_that_is_ignored_and_runs_all_is_ignored_alone(self) -> None:
        assert keys(fleet().plan("csrc/README.md")) == set()
        assert "engine" in keys(fleet().plan("csrc/README.md", "nobody/knows.c"))


class TestSwitches:
    def test_no_timeouts(self) -> None:
        plan = fleet().plan(known=Circumstances(environment={"SKIP_TIMEOUT": "1"}))
        assert {one.timeout_in_minutes for one in plan.planned} == {None}
        assert planned(fleet().plan(), "engine").timeout_in_minutes == 30
        assert planned(fleet().plan(known=Circumstances(timeouts=False)), "engine").timeout_in_minutes is None

    def test_priority_is_for_jobs_that_set_none(self) -> None:
        step = "  - {key: job, hardware: cpu, priority: 7, commands: [make]}\n"
        plan = fleet({"areas/images.yaml": IMAGES + step}).plan(known=Circumstances(environment={"PRIORITY": "HIGH"}))
        assert planned(plan, "job").priority == 7
        assert planned(plan, "base").priority == 1000
        assert planned(fleet().plan(), "base").priority is None

    def test_of_several_priorities_the_highest_counts(self) -> None:
        more = WORKSPACE.replace("lanes:", "  - {label: low, does: {priority: -5}}\nlanes:")
        given = fleet({".buildkite/pipegen.yaml": more})
        both = Circumstances(environment={"PRIORITY": "HIGH"}, labels=("low",))
        assert planned(given.plan(known=both), "base").priority == 1000
        assert planned(given.plan(known=Circumstances(labels=("low",))), "base").priority == -5

    @pytest.mark.parametrize(
        ("environment", "labels", "holds"),
        [
            ({"A": "1", "B": "x"}, ("go",), True),
            ({"A": "1", "B": "x"}, (), False),
            ({"A": "1"}, ("go",), False),
            ({"A": "2", "B": "x"}, ("go",), False),
            ({"A": "", "B": "x"}, ("go",), False),
        ],
    )
    def test_a_condition_asks_for_all_of_it(
        self, environment: dict[str, str], labels: tuple[str, ...], holds: bool
    ) -> None:
        switch = '  - {environment: {A: "1", B: x}, label: go, does: run_all}\nlanes:'
        given = fleet({".buildkite/pipegen.yaml": WORKSPACE.replace("lanes:", switch)})
        plan = given.plan(known=Circumstances(environment=environment, labels=labels))
        assert ("engine" in keys(plan)) is holds
        if plan.run_all is not None:
            assert plan.run_all.text == 'A=1, B=x and label "go" runs everything'

    @pytest.mark.parametrize("name", ["nightl", "changed"])
    def test_an_unknown_schedule_is_refused(self, name: str) -> None:
        with pytest.raises(WrongUsageError, match=f'unknown schedule "{name}" in --schedule'):
            fleet().plan(known=Circumstances(schedules=(name,)))

    def test_a_schedule_without_a_condition_is_only_ever_named(self) -> None:
        step = "  - {key: job, hardware: cpu, when: weekly, commands: [make]}\n"
        given = fleet({"areas/images.yaml": IMAGES + step})
        assert planned(given.plan(known=Circumstances(schedules=("weekly",))), "job").outcome is Outcome.RUN
        assert planned(given.plan(known=Circumstances(environment={"weekly": "1"})), "job").outcome is Outcome.GATED
