"""Laws of the language over random workspaces: order says nothing, nothing is lost, nothing runs twice."""

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Sequence

import yaml
from _pytest.mark.expression import Expression
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pipegen import codes
from pipegen.diagnostics import PipegenError
from pipegen.dollar import escape_tree, literal_tree
from pipegen.manifest.load import load_workspaces
from pipegen.model import Job
from pipegen.source import MappingTree
from tests.support.compiled import Compiled, block, compiled, flow
from tests.support.fleets import LANE_OF, TEST_FILES, Area, Fleet, Step, expected, fleets
from tests.support.readers import same
from tests.support.trees import texts

FEW, SOME = settings(max_examples=30), settings(max_examples=60)
NAMES = st.lists(st.sampled_from(("test_alpha", "test_beta", "test_gamma", "x", "betagamma")), max_size=3).map("_".join)


def sound(fleet: Fleet, seed: int = 0) -> Compiled:
    """A workspace compiled, which must have no errors."""
    result = compiled(fleet.files(seed))
    assert result.errors == ()
    return result


@FEW
@given(fleets(), st.integers(1, 2**32))
def test_the_order_of_files_and_entries_never_changes_a_byte(fleet: Fleet, seed: int) -> None:
    assert sound(fleet, seed).document() == sound(fleet).document()


@SOME
@given(fleets())
def test_what_holds_of_every_pipeline(fleet: Fleet) -> None:
    result = sound(fleet)
    check_product(fleet, result)
    check_keys(result)
    check_labels(result)
    check_order(fleet, result)
    check_reading(result)
    for job in result.jobs:
        check_ownership(fleet, job)


def check_product(fleet: Fleet, result: Compiled) -> None:
    """Every step, and each of its mirrors other than `none`, has its own parts by its own variants."""
    jobs = [job for job in result.jobs if job.origin.area is not None]
    found = [(job.key, job.hardware.name, job.lane) for job in jobs]
    assert Counter(found) == Counter((job.key, job.hardware, job.lane) for job in expected(fleet))


def check_keys(result: Compiled) -> None:
    """Keys are unique, and nothing waits for what is not there."""
    steps = [step.step for group in result.rendered.groups for step in group.steps]
    keys = [str(step["key"]) for step in steps]
    assert len(set(keys)) == len(keys) == len(result.jobs)
    assert all(re.fullmatch(r"[A-Za-z0-9_:.,-]{1,100}", key) for key in keys)
    assert {target for step in steps for target in _list(step["depends_on"])} <= {*keys, "image"}


def _list(value: object) -> Sequence[object]:
    assert isinstance(value, Sequence)
    return value


def check_labels(result: Compiled) -> None:
    """A label is the lane's format over the title, which carries the names of the expansion."""
    for job in result.jobs:
        names = [name for name in (job.origin.step, job.origin.part, job.origin.variant) if name]
        suffix = f" ({', '.join(names)})" if names else ""
        assert job.title.endswith(suffix)
        assert job.label == (f"amd {job.title}" if job.lane == "amd" else job.title)
        words = job.title.removesuffix(suffix).lower()
        assert words == re.sub(r"[/_-]", " ", job.origin.area or job.key)


def check_order(fleet: Fleet, result: Compiled) -> None:
    """Groups stand by the lowest order of their files, then by name, and jobs by key."""
    orders: dict[str, int] = {}
    for sheet in fleet.sheets:
        orders[sheet.group] = min(orders.get(sheet.group, sheet.order), sheet.order)
    groups = result.rendered.groups
    names = [group.name for group in groups]
    assert names == sorted(names, key=lambda name: (orders.get(name, 0), name))
    for group in groups:
        keys = [str(step.step["key"]) for step in group.steps]
        assert keys == sorted(keys)
        assert {step.job.lane == "amd" for step in group.steps} == {group.name == "AMD"}


def check_reading(result: Compiled) -> None:
    """The document is what the pipeline is in memory, dollars spelled for its way of upload."""
    assert same(yaml.load(result.document(), yaml.CSafeLoader), escape_tree(result.rendered.pipeline))
    plain = yaml.load(result.document(interpolation=False), yaml.CSafeLoader)
    assert same(plain, literal_tree(result.rendered.pipeline))


def check_ownership(fleet: Fleet, job: Job) -> None:
    """A job runs each file that its area owns on its lane once, and no other."""
    if job.origin.area is None:
        return
    runs = collected(job)
    for file in TEST_FILES:
        owned_by = owner(fleet, job.lane, file)
        own = owned_by is not None and owned_by.name == job.origin.area
        assert runs[file] == (1 if own else 0), (job.key, file, [command.run for command in job.commands])


# --- Parts: what the generated expressions take ----------------------------------------------------------------------


def _option(call: str, name: str) -> str | None:
    words = shlex.split(call)
    return words[words.index(name) + 1] if name in words else None


def takes(job: Job, test: str) -> bool:
    """Whether pytest itself, given the job's `-k`, would take a test of this name."""
    text = _option(job.commands[0].run, "-k")
    return text is None or _matches(text, test)


def _of(jobs: Iterable[Job], area: Area, step: Step) -> list[Job]:
    return [job for job in jobs if (job.origin.area, job.origin.step) == (area.name, step.name)]


@FEW
@given(fleets(), NAMES)
def test_the_rest_of_a_step_takes_what_no_other_part_takes(fleet: Fleet, test: str) -> None:
    jobs = sound(fleet).jobs
    for area in fleet.areas:
        for step in area.steps:
            by_place: dict[tuple[str | None, str | None], list[Job]] = {}
            for job in _of(jobs, area, step):
                if job.origin.part is not None:
                    by_place.setdefault((job.origin.mirror, job.origin.variant), []).append(job)
            for together in by_place.values():
                whole = takes_of(area, step, together[0].lane, test)
                shares = [job for job in together if job.origin.part != "others"]
                (rest,) = [job for job in together if job.origin.part == "others"]
                assert takes(rest, test) == (whole and not any(takes(job, test) for job in shares))


def takes_of(area: Area, step: Step, lane: str, test: str) -> bool:
    """Whether a test is a step's on a lane, by the model: it narrows, or takes what its siblings there leave."""
    if not step.rest:
        return step.narrow is None or _matches(step.narrow, test)
    there = [other for other in area.steps if other is not step and lane in _lanes(other)]
    return not any(other.narrow is not None and _matches(other.narrow, test) for other in there)


def _matches(text: str, test: str) -> bool:
    """What pytest says, whose own expressions these are."""

    def holds(word: str, /, **_: str | int | bool | None) -> bool:
        return word.lower() in test.lower()

    return Expression.compile(text).evaluate(holds)


def _lanes(step: Step) -> set[str]:
    """Where a step has a place: a job that is no rerun, or a reasoned `none`."""
    mirrors = {"amd" if mirror.hardware is None else LANE_OF[mirror.hardware] for mirror in step.mirrors}
    return {LANE_OF[step.hardware], *mirrors}


@FEW
@given(fleets(), NAMES)
def test_the_steps_of_an_area_leave_nothing_on_a_lane_where_one_takes_the_rest(fleet: Fleet, test: str) -> None:
    jobs = sound(fleet).jobs
    for area in fleet.areas:
        for lane in set(LANE_OF.values()):
            there = [step for step in area.steps if lane in _lanes(step)]
            if not any(step.rest and _runs(step, lane) for step in there):
                continue
            ran = [job for step in there for job in _of(jobs, area, step) if job.lane == lane and takes(job, test)]
            excused = any(
                not _runs(step, lane) and step.narrow is not None and _matches(step.narrow, test) for step in there
            )
            dropped = any(step.only_here for step in there)
            assert ran or excused or dropped


def _runs(step: Step, lane: str) -> bool:
    places = [LANE_OF[mirror.hardware] for mirror in step.mirrors if mirror.hardware is not None]
    return lane in (LANE_OF[step.hardware], *places)


# --- Ownership: what the generated calls collect ---------------------------------------------------------------------


def collected(job: Job) -> Counter[str]:
    """How often pytest would run each file of the tree, given the job's calls."""
    found: Counter[str] = Counter()
    for command in job.commands:
        words = shlex.split(command.run)
        entries = [word.rstrip("/") for word in words[1:] if not word.startswith("-")]
        if "-k" in words:
            entries.remove(words[words.index("-k") + 1])
        ignored = [word.removeprefix("--ignore=") for word in words if word.startswith("--ignore=")]
        assert not any(_in(one, other) for one in entries for other in entries if one != other)
        for file in TEST_FILES:
            if file in entries or (
                any(_in(file, entry) for entry in entries) and not any(_in(file, path) for path in ignored)
            ):
                found[file] += 1
    return found


def _in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


def owner(fleet: Fleet, lane: str, file: str) -> Area | None:
    """The most specific area that has a place on the lane and owns the file."""
    claims = [
        (len(path), area)
        for area in fleet.areas
        if any(lane in _places(step) for step in area.steps)
        for path in area.tests
        if _in(file, path)
    ]
    return max(claims, key=lambda claim: claim[0])[1] if claims else None


def _places(step: Step) -> set[str]:
    """Lanes on which a step owns: where it runs itself, and its mirrors and `none`s on other lanes."""
    own = LANE_OF[step.hardware]
    return {own, *("amd" if mirror.hardware is None else LANE_OF[mirror.hardware] for mirror in step.mirrors)}


# --- Text ------------------------------------------------------------------------------------------------------------


@settings(max_examples=150)
@given(value=texts(), title=texts(), command=texts())
def test_hostile_text_arrives_as_it_was_written_or_is_refused(value: str, title: str, command: str) -> None:
    assume("{{" not in value + title + command)
    files = {
        ".buildkite/pipegen.yaml": block(
            {"version": "1", "lanes": {"cpu": {}}, "limits": {"timeout_in_minutes": 9}, "owners": {}}
        ),
        ".buildkite/hardware.yaml": block(
            {"hardware": {"cpu": {"lane": "cpu", "queue": "q", "template": "plain", "depends_on": []}}}
        ),
        "templates/plain.yaml.j2": "commands: [{{ job.commands[0].run | tojson }}]\nenv: {{ job.env | tojson }}\n",
        "areas/a.yaml": block({"group": "G", "hardware": "cpu"})
        + f"steps: [{flow({'key': 's', 'title': title, 'env': {'X': value}, 'commands': [command]})}]\n",
    }
    result = compiled(files, interpolation=False)
    if result.plan.diagnostics:
        kinds = {found.code for found in result.plan.diagnostics}
        assert kinds <= (
            {codes.FORBIDDEN_CHARACTER} if command.strip() else {codes.FORBIDDEN_CHARACTER, codes.EMPTY_VALUE}
        )
        return
    (job,) = result.jobs
    assert (job.env["X"], job.title, job.commands[0].run) == (value, title, command)
    step = result.rendered.groups[0].steps[0].step
    assert step["label"] == title
    assert step["command"] == command
    assert step["env"] == {"X": value}


@given(st.text(min_size=1).filter(lambda text: text != "1"))
def test_a_version_of_any_text_is_told_in_one_line(version: str) -> None:
    """It ends the run before anything can be pointed at, so what is said of it is all that there is."""
    tree = MappingTree(files={"w.yaml": json.dumps({"version": version}).encode()})
    try:
        said = [one.message for one in load_workspaces(tree, "w.yaml")[1]]
    except PipegenError as error:
        said = [str(error)]
    assert [text for text in said if len(text.splitlines()) != 1] == []
