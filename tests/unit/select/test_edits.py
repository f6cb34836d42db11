"""Which entries changed in meaning: by comparison with another revision, and by listed files where there is none."""

import re

import pytest

from pipegen.select.edits import compare, fingerprint, hardware_fingerprint, listed
from tests.support.selection import ENGINE, FILES, HARDWARE, IMAGES, WORKSPACE, Fleet, fleet

BEFORE = fleet()


def _edits(now: Fleet, before: Fleet = BEFORE) -> dict[str, str]:
    """What became of which entry, by its kind and name."""
    edits = compare(now.entries, before.entries, "templates/")
    assert edits.unknown is None
    return {
        **{key: edit.what for key, edit in edits.jobs.items()},
        **{f"hardware {name}": edit.what for name, edit in edits.hardware.items()},
        **{f"template {name}": edit.what for name, edit in edits.templates.items()},
    }


REFORMATTED = """\
# The engine.
owner: core
group:   "Engine"
timeout_in_minutes: 30

sources:
  - "!src/engine/cpu/"
  - src/engine/
hardware: gpu
areas:
  engine/deep: {when: nightly, sources: [src/deep/], tests: [//tests/engine/deep/]}
  engine:
    mirrors:
      amd: {sources: [src/rocm/, +], timeout_in_minutes: 50, hardware: mi}
    tests:
      - engine/
"""


def test_the_same_is_no_edit() -> None:
    assert _edits(fleet()) == {}


def test_reformatting_is_no_edit() -> None:
    assert REFORMATTED != ENGINE
    now = fleet({"areas/engine.yaml": None, "areas/nested/engine.yaml": REFORMATTED})
    assert _edits(now) == {}


def test_recording_an_old_key_is_no_edit() -> None:
    now = fleet({"areas/images.yaml": IMAGES.replace("{key: base,", "{key: base, was: [old-base],")})
    assert _edits(now) == {}


@pytest.mark.parametrize(
    ("old", "new", "edits"),
    [
        (
            "timeout_in_minutes: 30",
            "timeout_in_minutes: 31",
            {
                "engine": "changed in timeout_in_minutes",
                "engine-deep": "changed in timeout_in_minutes",
            },
        ),
        ("timeout_in_minutes: 50", "timeout_in_minutes: 51", {"amd-engine": "changed in timeout_in_minutes"}),
        ("when: nightly", "when: [nightly, changed]", {"engine-deep": "changed in when"}),
        ("sources: [src/deep/]", "sources: [src/deeper/]", {"engine-deep": "changed in sources"}),
        (
            "    when: nightly",
            "    when: nightly\n    env: {A: 1}",
            {"engine-deep": "changed in env"},
        ),
        (
            "    when: nightly",
            "    when: nightly\n    depends_on: [+, base]",
            {"engine-deep": "changed in depends_on"},
        ),
        (
            "    when: nightly",
            "    when: nightly\n    retry: {manual: false}",
            {"engine-deep": "changed in attributes"},
        ),
        (
            "    tests: [engine/deep/]",
            "    tests: [engine/deep/, deep/]",
            {"engine-deep": "changed in commands and tests"},
        ),
        (
            "  engine/deep:",
            "  engine/other:\n    tests: [other/]\n  engine/deep:",
            {"engine-other": "is new"},
        ),
    ],
)
def test_a_change_in_meaning_is_named(old: str, new: str, edits: dict[str, str]) -> None:
    assert old in ENGINE
    assert _edits(fleet({"areas/engine.yaml": ENGINE.replace(old, new)})) == edits


def test_a_renamed_job_is_a_new_one() -> None:
    now = fleet({"areas/engine.yaml": ENGINE.replace("  engine/deep:", "  engine/deeper:")})
    assert _edits(now) == {"engine-deeper": "is new"}


def test_an_area_that_goes_changes_what_others_run() -> None:
    """`engine` no longer leaves out what `engine/deep` owned."""
    now = fleet({"areas/engine.yaml": ENGINE.partition("  engine/deep:")[0]})
    assert _edits(now) == {"engine": "changed in commands"}


@pytest.mark.parametrize(
    ("old", "new", "edits"),
    [
        ("gpu: {lane", "gpu: {facts: {volume: /mnt}, lane", {"hardware gpu": "changed in facts"}),
        (
            "queue: mi",
            "queue: mi355",
            {"hardware mi": "changed in queues", "amd-engine": "changed in queue and attributes"},
        ),
        (
            "queue: mi",
            "retry: {manual: true}, queue: mi",
            {"hardware mi": "changed in retry", "amd-engine": "changed in attributes"},
        ),
        ("queue: big, gpus: [1, 8]", "gpus: [8, 1], queue: 'big'", {}),
        ("  cpu: {", "  new: {lane: cpu, queue: new, template: plain}\n  cpu: {", {"hardware new": "is new"}),
    ],
)
def test_hardware(old: str, new: str, edits: dict[str, str]) -> None:
    assert old in HARDWARE
    assert _edits(fleet({".buildkite/hardware.yaml": HARDWARE.replace(old, new)})) == edits


def test_a_lane_is_behind_its_jobs() -> None:
    text = WORKSPACE.replace("  cuda: {}", '  cuda: {label: ":nvidia: {{ title }}"}')
    assert _edits(fleet({".buildkite/pipegen.yaml": text})) == {
        "engine": "changed in label and gate",
        "engine-deep": "changed in label and gate",
    }


@pytest.mark.parametrize(
    ("files", "edits"),
    [
        (
            {"templates/plain.yaml.j2": "commands: []\n"},
            {"template plain": 'changed in "templates/plain.yaml.j2"'},
        ),
        (
            {"templates/shared.j2": "priority: 4\n"},
            {"template special": 'changed in "templates/shared.j2"'},
        ),
        (
            {"templates/special.yaml.j2": "{% set x = 'shared.j2' %}{% include x %}\n"},
            {"template special": 'changed in "templates/special.yaml.j2"'},
        ),
        ({"templates/other.yaml.j2": "a: 1\n"}, {"template other": 'changed in "templates/other.yaml.j2"'}),
    ],
)
def test_templates_with_what_they_include(files: dict[str, str], edits: dict[str, str]) -> None:
    assert _edits(fleet(files)) == edits


def test_a_template_that_computes_what_it_includes_is_made_of_all_files() -> None:
    special = {"templates/special.yaml.j2": "{% include 'a' ~ 'b' %}\n"}
    before, now = fleet(special), fleet({**special, "templates/plain.yaml.j2": "commands: []\n"})
    assert _edits(now, before) == {
        "template plain": 'changed in "templates/plain.yaml.j2"',
        "template special": 'changed in "templates/plain.yaml.j2"',
    }


def test_a_part_that_is_gone_changes_what_may_go_without_it() -> None:
    special = {
        "templates/special.yaml.j2": "{% include 'extra.j2' ignore missing %}\n" + FILES["templates/plain.yaml.j2"]
    }
    before, now = fleet({**special, "templates/extra.j2": "priority: 1\n"}), fleet(special)
    assert _edits(now, before) == {"template special": 'changed in "templates/extra.j2"'}


def test_fingerprints_hold_no_place() -> None:
    for job in BEFORE.expansion.jobs:
        assert not re.search(r"Span\(|areas/", repr(fingerprint(job)))
    for entry in BEFORE.hardware.values():
        assert "Span(" not in repr(hardware_fingerprint(entry))


class TestListed:
    """Without a revision to compare, an entry counts as changed if its file is among the changed ones."""

    @pytest.mark.parametrize(
        ("path", "jobs", "hardware", "templates"),
        [
            ("areas/engine.yaml", {"engine", "amd-engine", "engine-deep"}, set(), set()),
            (".buildkite/hardware.yaml", set(), {"gpu", "big", "mi", "cpu"}, set()),
            ("templates/plain.yaml.j2", set(), set(), {"plain"}),
            ("templates/shared.j2", set(), set(), {"special"}),
            ("areas/gone.yaml", set(), set(), set()),
            ("src/engine/a.py", set(), set(), set()),
        ],
    )
    def test_by_file(self, path: str, jobs: set[str], hardware: set[str], templates: set[str]) -> None:
        edits = listed(BEFORE.entries, BEFORE.workspace, [path])
        assert (set(edits.jobs), set(edits.hardware), set(edits.templates)) == (jobs, hardware, templates)
        assert edits.unknown is None

    def test_the_workspace_file_is_behind_everything(self) -> None:
        edits = listed(BEFORE.entries, BEFORE.workspace, [".buildkite/pipegen.yaml"])
        assert edits.unknown is not None
        assert edits.unknown.what == ('".buildkite/pipegen.yaml" changed, and there is no revision to compare it with')

    def test_every_file_of_the_workspace_is_covered(self) -> None:
        """A change to any of them has a consequence; the two that no job uses are the exception."""
        for path in FILES:
            edits = listed(BEFORE.entries, BEFORE.workspace, [path])
            assert edits.jobs or edits.hardware or edits.templates or edits.unknown, path
