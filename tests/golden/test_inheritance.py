"""The truth table of inheritance: every step attribute at every level, what it does to what it finds there.

The rules are the design's, written down here by hand: `RULES` says how an attribute meets what it inherits, and
`EXCEPTIONS` where a level differs. inheritance.txt shows them as a table. Each cell is then tried: a value is written
at that level over another one at the next wider level, and the job shows what became of the two.
"""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from pipegen import codes
from pipegen.diagnostics import Severity
from pipegen.manifest.layers import FIELDS
from pipegen.model import Job
from tests.support.compiled import PLUS, Compiled, Value, block, compiled
from tests.support.golden import Golden

TABLE: Final = Path(__file__).parent / "inheritance.txt"
LEVELS: Final = ("lane", "hardware", "file", "area", "step", "part", "variant", "mirror")

WINS, MERGES, LIST = "wins", "merges", "list"
GIVES, REFUSED, OWN_WORD, NARROWS, BEHIND, ALONE = "gives", "refused", "own word", "narrows", "behind", "alone"
LEGEND: Final = """\
gives     nothing is inherited there: the value holds
wins      the value replaces the inherited one
merges    entries are laid over the inherited ones, one level deep; null removes one
list      the list replaces the inherited one, and + in it stands for that
narrows   a part's expression and the inherited one hold together
behind    the list stands behind what lane and hardware supply; [] drops that
alone     the value holds, whatever the mirrored step says: a mirror does not inherit it
own word  the word is the entry's own there, and no step attribute
refused   the word cannot stand there
"""

RULES: Final[Mapping[str, str]] = {
    "title": WINS, "label": WINS, "key": WINS, "owner": WINS, "k": WINS, "m": WINS, "separate": WINS, "gpus": WINS,
    "nodes": WINS, "template": WINS, "working_dir": WINS, "timeout_in_minutes": WINS, "parallelism": WINS,
    "allow_dependency_failure": WINS, "cancel_on_build_failing": WINS, "concurrency": WINS, "concurrency_group": WINS,
    "concurrency_method": WINS, "if": WINS, "image": WINS, "priority": WINS, "skip": WINS,
    "hardware": WINS, "retry": WINS,  # "taken whole", maps as they are
    "env": MERGES, "gate": MERGES, "agents": MERGES, "checkout": MERGES, "matrix": MERGES, "secrets": MERGES,
    "cache": MERGES, "if_changed": MERGES, "parts": MERGES, "variants": MERGES, "mirrors": MERGES,
    "sources": LIST, "tests": LIST, "also": LIST, "ignore": LIST, "setup": LIST, "commands": LIST, "args": LIST,
    "when": LIST, "was": LIST, "depends_on": LIST, "artifact_paths": LIST, "branches": LIST, "notify": LIST,
    "plugins": LIST, "soft_fail": LIST,
}  # fmt: skip
"""How a value meets the one it inherits from: "maps merge one level, a list replaces, and `+` stands for …"."""

_CATALOGUE = ("lane", "hardware")
EXCEPTIONS: Final[Mapping[tuple[str, str], str]] = {
    # What names one step, or decides which machines, lanes and jobs there are, is no default of a lane or machine.
    **{(name, level): REFUSED for name in ("key", "was") for level in (*_CATALOGUE, "file")},
    **{(name, level): REFUSED for name in ("hardware", "tests") for level in _CATALOGUE},
    **{(name, level): REFUSED for name in ("parts", "variants", "mirrors") for level in _CATALOGUE},
    # Parts and variants are made of steps and mirrors, and mirrors of these three; a mirror has no mirror.
    **{(name, level): REFUSED for name in ("parts", "variants") for level in ("part", "variant")},
    ("mirrors", "mirror"): REFUSED,
    # A hardware entry says these of itself.
    **{(name, "hardware"): OWN_WORD for name in ("title", "gpus", "nodes")},
    # A part is a share: it narrows what its step runs, and commands of its own would have nothing to narrow.
    **{(name, "part"): NARROWS for name in ("k", "m")},
    ("commands", "part"): REFUSED,
    # "A hardware entry's depends_on is added in front of what is authored".
    ("depends_on", "file"): BEHIND,
    # "It takes … from its own hardware or itself alone"; what a mirror was called before is its own as well.
    **{
        (name, "mirror"): ALONE
        for name in ("hardware", "gpus", "nodes", "template", "label", "key", "timeout_in_minutes", "depends_on", "was")
    },
}  # fmt: skip


def rule(name: str, level: str) -> str:
    """What the design says of an attribute at a level."""
    if (name, level) in EXCEPTIONS:
        return EXCEPTIONS[name, level]
    return GIVES if wider(name, level) is None else RULES[name]


def wider(name: str, level: str) -> str | None:
    """The next wider level where the attribute may stand."""
    allowed = [at for at in LEVELS[: LEVELS.index(level)] if EXCEPTIONS.get((name, at)) not in (REFUSED, OWN_WORD)]
    if level == "mirror":  # which has the layers of its step, and variants and parts beside it here
        allowed = [at for at in allowed if at not in ("part", "variant", *_CATALOGUE)]
    if level == "variant":
        allowed = [at for at in allowed if at != "part"]
    return allowed[-1] if allowed else None


def table() -> str:
    """The rules as text."""
    rows = [("", *LEVELS), *((name, *(rule(name, level) for level in LEVELS)) for name in RULES)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(LEVELS) + 1)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
    return "\n".join(lines) + "\n\n" + LEGEND


# --- What is written, and where the job shows it ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Values of one attribute, and what the jobs of a step show of it.

    Of a list the values are items; of a map the first two are entries, and the third the first entry once more.
    """

    values: Sequence[Value]
    shown: Callable[[Sequence[Job]], object]
    shows: Callable[[Value], object] = lambda value: value


def _one(look: Callable[[Job], object]) -> Callable[[Sequence[Job]], object]:
    return lambda jobs: look(jobs[0])


def _simple(look: Callable[[Job], object], *values: Value) -> Trial:
    return Trial(values=values, shown=_one(look))


def _buildkite(name: str, *values: Value) -> Trial:
    return _simple(lambda job: job.attributes.get(name), *values)


def _words(job: Job) -> list[str]:
    return [word for command in job.commands for word in shlex.split(command.run)]


def _gate(job: Job) -> object:
    label = {} if job.gate.label.startswith("Run ") else {"label": job.gate.label}
    return {**label, **({} if "block-" in job.gate.key else {"key": "two"})}


def _agents(job: Job) -> object:
    agents = job.attributes["agents"]
    assert isinstance(agents, Mapping)
    return {name: value for name, value in agents.items() if name in "ab"}


def _entries(word: str) -> Callable[[Value], object]:
    def shows(value: Value) -> object:
        assert isinstance(value, Mapping)
        return {name: inner.get(word) for name, inner in value.items() if isinstance(inner, Mapping)}

    return shows


TRIALS: Final[Mapping[str, Trial]] = {
    "title": _simple(lambda job: job.title.partition(" (")[0], "one", "two"),
    "label": _simple(lambda job: job.label, "one", "two"),
    "key": _simple(lambda job: job.key[:2], "k1", "k2"),
    "owner": _simple(lambda job: job.owner, "ann", "bob"),
    "k": _simple(lambda job: job.k, "one", "two"),
    "m": _simple(lambda job: job.m, "one", "two"),
    "separate": _simple(lambda job: len(job.commands) > 1, True, False),
    "gpus": _simple(lambda job: job.gpus, 2, 4),
    "nodes": _simple(lambda job: job.node_count, 2, 4),
    "template": _simple(lambda job: job.template.text, "plain", "docker"),
    "working_dir": _simple(lambda job: job.working_dir, "one", "two"),
    "timeout_in_minutes": _simple(lambda job: job.timeout_in_minutes, 11, 12),
    "parallelism": _simple(lambda job: job.parallelism, 2, 3),
    "hardware": _simple(
        lambda job: {job.hardware.name: dict(job.tags)}, {"cuda2": {"tag": "1", "mem": "2"}}, {"cuda2": {"tag": "3"}}
    ),
    "retry": _buildkite("retry", {"automatic": True}, {"manual": False}),
    "allow_dependency_failure": _buildkite("allow_dependency_failure", True, False),
    "cancel_on_build_failing": _buildkite("cancel_on_build_failing", True, False),
    "concurrency": _buildkite("concurrency", 1, 2),
    "concurrency_group": _buildkite("concurrency_group", "one", "two"),
    "concurrency_method": _buildkite("concurrency_method", "ordered", "eager"),
    "if": _buildkite("if", "build.tag == null", "build.tag != null"),
    "image": _buildkite("image", "one", "two"),
    "priority": _buildkite("priority", 1, 2),
    "skip": _buildkite("skip", "one", "two"),
    "env": _simple(lambda job: dict(job.env), {"A": "1"}, {"B": "2"}, {"A": "3"}),
    "gate": _simple(_gate, {"label": "one"}, {"key": "two"}, {"label": "three"}),
    "agents": _simple(_agents, {"a": "1"}, {"b": "2"}, {"a": "3"}),
    "checkout": _buildkite("checkout", {"depth": 1}, {"lfs": True}, {"depth": 2}),
    "matrix": _buildkite(
        "matrix", {"setup": ["a"]}, {"adjustments": [{"skip": True, "with": ["a"]}]}, {"setup": ["b"]}
    ),
    "secrets": _buildkite("secrets", {"A": "x"}, {"B": "y"}, {"A": "z"}),
    "cache": _buildkite("cache", {"paths": ["a"]}, {"size": "20g"}, {"paths": ["b"]}),
    "if_changed": _buildkite("if_changed", {"include": ["a"]}, {"exclude": ["b"]}, {"include": ["c"]}),
    "parts": Trial(
        values=({"p1": {"k": "one"}}, {"p2": {"rest": True}}, {"p1": {"k": "two"}}),
        shown=lambda jobs: {job.origin.part: None if job.origin.part == "p2" else job.k for job in jobs},
        shows=_entries("k"),
    ),
    "variants": Trial(
        values=({"v1": {"title": "one"}}, {"v2": {"title": "two"}}, {"v1": {"title": "three"}}),
        shown=lambda jobs: {job.origin.variant: job.title.partition(" (")[0] for job in jobs},
        shows=_entries("title"),
    ),
    "mirrors": Trial(
        values=({"m1": {"hardware": "amd1"}}, {"m2": {"hardware": "amd1"}}, {"m1": {"hardware": "amd2"}}),
        shown=lambda jobs: {job.origin.mirror: job.hardware.name for job in jobs if job.origin.mirror},
        shows=_entries("hardware"),
    ),
    "sources": _simple(lambda job: [item.text for item in job.sources], "one/", "two/"),
    "tests": _simple(lambda job: [item.written for item in job.tests], "one/", "two/"),
    "also": _simple(lambda job: [item.written for item in job.also], "one/", "two/"),
    "ignore": _simple(lambda job: [item.written for item in job.ignore], "a/one/", "a/two/"),
    "setup": _simple(lambda job: [item.run for item in job.setup], "one", "two"),
    "commands": _simple(lambda job: [item.run for item in job.commands], "one", "two"),
    "args": _simple(lambda job: [word for word in _words(job) if word in ("--one", "--two")], "--one", "--two"),
    "when": _simple(lambda job: [item.text for item in job.when], "nightly", "weekly"),
    "was": _simple(lambda job: list(job.was), "old1", "old2"),
    "depends_on": _simple(
        lambda job: None if job.depends_on is None else [item.key for item in job.depends_on], "ext1", "ext2"
    ),
    "artifact_paths": _buildkite("artifact_paths", "one", "two"),
    "branches": _buildkite("branches", "one", "two"),
    "notify": _buildkite("notify", {"slack": "#one"}, {"slack": "#two"}),
    "plugins": _buildkite("plugins", {"one#v1": {"a": "b"}}, {"two#v1": {"a": "b"}}),
    "soft_fail": _buildkite("soft_fail", {"exit_status": 1}, {"exit_status": 2}),
}


# --- The workspace that a trial is written into ----------------------------------------------------------------------

MACHINE: Final[Mapping[str, Value]] = {"queue": "q", "gpus": [1, 2, 4], "nodes": [1, 2, 4], "tags": ["tag", "mem"]}
TEMPLATE: Final = "commands: {{ job.commands | map(attribute='run') | list | tojson }}\nenv: {{ job.env | tojson }}\n"
WORKSPACE: Final[Mapping[str, Value]] = {
    "version": "1",
    "owners": {"ann": {}, "bob": {}, "zoe": {}},
    "schedules": {"nightly": {"environment": {"N": "1"}}, "weekly": {"environment": {"W": "1"}}},
    "tests": {"shards": ["--shard"]},
    "external_keys": ["ext1", "ext2"],
    "limits": {"timeout_in_minutes": 7},
}


def build(name: str, written: Mapping[str, Value], focus: str) -> Compiled:
    """A workspace with one step, an attribute at some of its levels; parts, variants and a mirror only in focus."""
    at: dict[str, dict[str, Value]] = {level: {name: written[level]} if level in written else {} for level in LEVELS}
    bare = name == "template" and written.keys() & {"lane", "hardware"}
    machine = MACHINE if bare else {**MACHINE, "template": "docker"}
    cuda1 = {"lane": "cuda", **machine, **at["hardware"]}
    others = {"cuda2": "cuda", "amd1": "amd", "amd2": "amd"}
    catalogue: dict[str, Value] = {"cuda1": cuda1}
    catalogue |= {entry: {"lane": lane, **MACHINE, "template": "docker"} for entry, lane in others.items()}
    return compiled(
        {
            ".buildkite/pipegen.yaml": block({**WORKSPACE, "lanes": {"cuda": at["lane"], "amd": {}}}),
            ".buildkite/hardware.yaml": block({"hardware": catalogue}),
            "areas/a.yaml": block(_manifest(name, at, focus, mirror="mirror" in written)),
            "templates/docker.yaml.j2": TEMPLATE,
            "templates/plain.yaml.j2": TEMPLATE,
        }
    )


def _manifest(name: str, at: Mapping[str, Mapping[str, Value]], focus: str, *, mirror: bool) -> Mapping[str, Value]:
    step: dict[str, Value] = dict(at["step"])
    if focus == "part":
        share: Mapping[str, Value] = {} if name in ("k", "m") else {"k": "share"}
        step["parts"] = {"p": {**share, **at["part"]}, "others": {"rest": True}}
    if focus == "variant":
        step["variants"] = {"v": at["variant"]}
    if focus == "mirror":
        place: Mapping[str, Value] = {} if name == "hardware" and mirror else {"hardware": "amd1"}
        step["mirrors"] = {"mirror": {**place, **at["mirror"]}}
    given: dict[str, Value] = {} if name in ("tests", "commands") else {"tests": ["a/", "b/"]}
    given |= {} if name == "hardware" and focus != "mirror" else {"hardware": "cuda1"}
    manifest: dict[str, Value] = {"group": "G", "owner": "zoe"} if name != "owner" else {"group": "G"}
    manifest |= at["file"]
    if name == "owner" and not at["file"].keys() | at["area"].keys():  # an area has to have one itself
        return {**manifest, "steps": [{"key": "s", **given, **step}]}
    return {
        **manifest,
        "areas": {"a": {**_without(given, at["file"]), **at["area"], "steps": {"s": step or {"env": {}}}}},
    }


def _without(given: Mapping[str, Value], taken: Mapping[str, Value]) -> Mapping[str, Value]:
    return {name: value for name, value in given.items() if name not in taken}


def shown(name: str, written: Mapping[str, Value], focus: str) -> object:
    """What the jobs at a level show of an attribute."""
    result = build(name, written, focus)
    assert [found for found in result.plan.diagnostics if found.severity is Severity.ERROR] == []
    jobs = [job for job in result.jobs if _in_focus(name, job, focus)]
    assert jobs
    return TRIALS[name].shown(jobs)


def _in_focus(name: str, job: Job, focus: str) -> bool:
    if focus == "mirror":
        return job.origin.mirror == "mirror"
    if name != "mirrors" and job.origin.mirror is not None:
        return False
    return focus != "part" or job.origin.part == "p"


# --- The trials ------------------------------------------------------------------------------------------------------

NEEDS_ITS_FIRST: Final = ("matrix", "cache", "if_changed")
"""Maps of which Buildkite wants the entry that is removed here."""
CELLS: Final = [(name, level) for name in RULES for level in LEVELS]


def with_rule(*wanted: str) -> list[tuple[str, str]]:
    return [(name, level) for name, level in CELLS if rule(name, level) in wanted]


def under(name: str, level: str) -> str:
    found = wider(name, level)
    assert found is not None
    return found


def test_the_table(golden: Golden) -> None:
    golden.check(TABLE, table())


def test_every_attribute_has_a_rule_and_a_trial() -> None:
    assert set(RULES) == set(FIELDS) == set(TRIALS)


@pytest.mark.parametrize(("name", "level"), with_rule(GIVES))
def test_gives(name: str, level: str) -> None:
    trial = TRIALS[name]
    value: Value = [trial.values[0]] if RULES[name] == LIST else trial.values[0]
    assert shown(name, {level: value}, level) == trial.shows(value)


@pytest.mark.parametrize(("name", "level"), with_rule(WINS))
def test_wins(name: str, level: str) -> None:
    first, second = TRIALS[name].values
    assert shown(name, {under(name, level): first}, level) == first
    assert shown(name, {under(name, level): first, level: second}, level) == second


@pytest.mark.parametrize(("name", "level"), with_rule(WINS, MERGES, LIST))
def test_null_removes(name: str, level: str) -> None:
    if name in ("hardware", "tests", "template", "commands") or (name, level) in (("owner", "file"), ("owner", "area")):
        return  # a step or an area cannot do without
    first = TRIALS[name].values[0]
    value: Value = [first] if RULES[name] == LIST else first
    assert shown(name, {under(name, level): value, level: None}, level) == shown(name, {}, level)


@pytest.mark.parametrize(("name", "level"), with_rule(MERGES))
def test_merges(name: str, level: str) -> None:
    trial = TRIALS[name]
    first, second, again = trial.values
    assert isinstance(first, Mapping)
    assert isinstance(second, Mapping)
    wide = under(name, level)
    assert shown(name, {wide: first, level: second}, level) == trial.shows({**first, **second})
    assert shown(name, {wide: first, level: again}, level) == trial.shows(again)
    removed = {wide: {**first, **second}, level: dict.fromkeys(first)}
    if name in NEEDS_ITS_FIRST:
        found = build(name, removed, level).plan.diagnostics
        assert [error.code for error in found if error.severity is Severity.ERROR] == [codes.MISSING_KEY]
    else:
        assert shown(name, removed, level) == trial.shows(second)


@pytest.mark.parametrize(("name", "level"), with_rule(LIST))
def test_list(name: str, level: str) -> None:
    first, second = TRIALS[name].values
    wide = under(name, level)
    assert shown(name, {wide: [first], level: [second]}, level) == [second]
    assert shown(name, {wide: [first], level: [PLUS, second]}, level) == [first, second]
    assert shown(name, {wide: [first], level: [second, PLUS]}, level) == [second, first]
    assert shown(name, {wide: [first], level: [PLUS]}, level) == [first]


@pytest.mark.parametrize(("name", "level"), with_rule(NARROWS))
def test_narrows(name: str, level: str) -> None:
    assert shown(name, {"step": "one", level: "two"}, level) == "one and two"


@pytest.mark.parametrize(("name", "level"), with_rule(BEHIND))
def test_behind(name: str, level: str) -> None:
    for wide in ("lane", "hardware"):
        assert shown(name, {wide: ["ext1"], level: ["ext2"]}, level) == ["ext1", "ext2"]
        assert shown(name, {wide: ["ext1"], level: [PLUS, "ext2"]}, level) == ["ext1", "ext2"]
        assert shown(name, {wide: ["ext1"], level: []}, level) == []


@pytest.mark.parametrize(("name", "level"), with_rule(ALONE))
def test_alone(name: str, level: str) -> None:
    first, second = TRIALS[name].values
    values: tuple[Value, Value] = ([first], [second]) if RULES[name] == LIST else (first, second)
    assert shown(name, {"area": values[0], level: values[1]}, level) == values[1]
    assert shown(name, {"area": values[0]}, level) == shown(name, {}, level)
    if RULES[name] == LIST:
        found = build(name, {"area": values[0], level: [PLUS, second]}, level).errors
        assert [error.code for error in found] == [codes.NOTHING_INHERITED]


@pytest.mark.parametrize(("name", "level"), with_rule(OWN_WORD))
def test_own_word(name: str, level: str) -> None:
    own: Value = "An entry" if name == "title" else [1, 2]
    assert shown(name, {"lane": TRIALS[name].values[0], level: own}, level) == TRIALS[name].values[0]


@pytest.mark.parametrize(("name", "level"), with_rule(REFUSED))
def test_refused(name: str, level: str) -> None:
    first = TRIALS[name].values[0]
    value: Value = [first] if RULES[name] == LIST else first
    found = build(name, {"area": value, level: value} if name in ("tests", "hardware") else {level: value}, level)
    assert any(error.code in (codes.UNKNOWN_KEY, codes.CONTRADICTION) for error in found.errors), found.diagnostics


@pytest.mark.parametrize("name", [name for name in RULES if rule(name, "lane") == GIVES])
def test_what_lane_and_hardware_supply_reaches_no_mirror_elsewhere(name: str) -> None:
    first = TRIALS[name].values[0]
    value: Value = [first] if RULES[name] == LIST else first
    if name == "commands":  # without them the mirror would have nothing to run
        return
    for level in ("lane", "hardware"):
        if rule(name, level) != OWN_WORD:
            assert shown(name, {level: value}, "mirror") == shown(name, {}, "mirror")


@pytest.mark.parametrize("name", [name for name in RULES if rule(name, "mirror") not in (ALONE, REFUSED)])
def test_what_was_authored_reaches_mirrors(name: str) -> None:
    trial = TRIALS[name]
    value: Value = [trial.values[0]] if RULES[name] == LIST else trial.values[0]
    for level in ("file", "area", "step"):
        assert shown(name, {level: value}, "mirror") == trial.shows(value)
