"""What grows without end is refused at a stated limit, where it is written, before the work in proportion is done.

Each case is a file of some kilobytes that would expand to gigabytes. The time limit of every test is the proof that
it did not; on an idle machine each takes a second or two.
"""

import json
from collections.abc import Callable, Iterator, Mapping

import pytest

from pipegen import codes
from pipegen.app import templates
from pipegen.expand.budget import MAX_DEPENDENCIES, MAX_JOBS, MAX_VALUES
from pipegen.jinja import Expressions, JinjaError, sandbox
from pipegen.manifest import load
from pipegen.manifest.fields import MAX_NAMES, MAX_PATH
from pipegen.manifest.located import MAX_COMPARISONS
from pipegen.patterns import MAX_LENGTH, Patterns
from pipegen.validate.conditional import MAX_CONDITION
from tests.support.bases import Base
from tests.support.workspaces import FILES as SMALL

pytestmark = pytest.mark.timeout(60)

Json = Mapping[str, object]
DEFAULTS: Json = {"group": "G", "owner": "core", "hardware": "l4", "timeout_in_minutes": 5, "depends_on": []}


def base(files: Mapping[str, str]) -> Base:
    given = {path: str(content).encode() for path, content in {**SMALL, **files}.items()}
    return Base(name="small", files=given, authored=())


def manifest(areas: Json, **more: object) -> dict[str, str]:
    return {"areas/engine.yaml": json.dumps({**DEFAULTS, **more, "areas": areas})}


def area(**attributes: object) -> Json:
    return {"a/one": {"tests": ["a/"], **attributes}}


def some(prefix: str, count: int, value: Callable[[int], object]) -> Json:
    return {f"{prefix}{number}": value(number) for number in range(count)}


def parts(count: int) -> Json:
    return some("p", count, lambda number: {"k": f"x{number}"})


def variants(count: int) -> Json:
    return some("v", count, lambda number: {"env": {"A": f"{number}"}})


def nested_mirror() -> Json:
    return {"amd": {"hardware": "mi300", "parts": parts(200), "timeout_in_minutes": 5}}


TOO_MANY_JOBS: Mapping[str, Json] = {
    "one step": area(parts=parts(150), variants=variants(150)),
    "parts of a mirror": area(parts={"one": {"k": "x"}}, variants=variants(110), mirrors=nested_mirror()),
    "mirrors of a variant": area(
        parts=parts(150), variants={"one": {"mirrors": some("m", 150, lambda _: {"hardware": "mi300"})}}
    ),
    "many steps": some(
        "a", 60, lambda number: {"tests": [f"t{number}/"], "parts": parts(20), "variants": variants(20)}
    ),
}


@pytest.mark.parametrize("what", TOO_MANY_JOBS)
def test_jobs(what: str) -> None:
    product = base(manifest(TOO_MANY_JOBS[what])).generate()
    (found,) = product.diagnostics
    assert found.code is codes.TOO_LARGE
    assert f"more than {MAX_JOBS:,} jobs" in found.message
    assert found.span.path == "areas/engine.yaml"
    assert product.document is None


def test_a_large_fleet_is_within_the_limits() -> None:
    """Ten times the reference fleet, in jobs and in what they hold."""
    areas = some("a", 30, lambda number: {"tests": [f"t{number}/"], "variants": variants(100)})
    product = base(manifest(areas, env=some("N", 40, lambda _: "some text"))).generate()
    assert product.jobs == 3001
    assert [one.code.code for one in product.diagnostics] == ["PG758"]


WIDE: Mapping[str, Mapping[str, str]] = {
    "variables": manifest(area(variants=variants(900)), env=some("N", 2000, lambda _: "x")),
    "a long text": manifest(area(variants=variants(900)), title="x" * 300_000),
    "plugins": manifest(area(variants=variants(900)), plugins=[{"a#v1": list(range(5000))}]),
}


@pytest.mark.parametrize("what", WIDE)
def test_values(what: str) -> None:
    product = base(WIDE[what]).generate()
    assert [(one.code, one.message) for one in product.diagnostics] == [
        (codes.TOO_LARGE, f"the jobs up to this step's have more than {MAX_VALUES:,} values together")
    ]


def test_dependencies() -> None:
    areas = {
        "first": {"tests": ["a/"], "variants": variants(800)},
        "second": {"tests": ["b/"], "variants": variants(800), "depends_on": ["first"]},
    }
    (found,) = base(manifest(areas)).generate().diagnostics
    assert found.code is codes.TOO_LARGE
    assert found.message == f"the jobs up to this one wait for more than {MAX_DEPENDENCIES:,} keys together"


def test_manifests() -> None:
    step = "group: G\nsteps: [{key: k%d, hardware: cpu, commands: [make], timeout_in_minutes: 5, depends_on: []}]\n"
    product = base({f"areas/more/{number}.yaml": step % number for number in range(load.MAX_FILES)}).generate()
    assert [(one.code, str(one.span)) for one in product.diagnostics] == [
        (codes.TOO_LARGE, ".buildkite/pipegen.yaml:1:1")
    ]
    assert f"more than {load.MAX_FILES:,} manifests" in product.diagnostics[0].message


def test_bytes_of_all_manifests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "MAX_ALL_BYTES", 1000)
    files = {f"areas/more/{number}.yaml": f"# {'x' * 400}\n" for number in range(5)}
    found = base(files).generate().diagnostics
    assert [one.message for one in found if one.code is codes.TOO_LARGE] == [
        "the manifests up to this one have more than 1,000 bytes together"
    ]


def test_templates() -> None:
    files = {f"templates/{number}.yaml.j2": "" for number in range(templates.MAX_TEMPLATES + 1)}
    found = base(files).generate().diagnostics
    assert [(one.code, one.message) for one in found] == [
        (codes.TOO_LARGE, f"the folder holds more than {templates.MAX_TEMPLATES:,} templates")
    ]


LOOP = "{{ range(9000) | map('string') | list | length }}"


class TestExpressions:
    def test_output_of_all_values_together(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sandbox, "MAX_ALL_OUTPUT", 1_000_000)
        found = base(manifest(area(title="{{ range(9000) | join }}", variants=variants(60)))).generate().diagnostics
        told = {one.message for one in found if one.code is codes.JINJA_ERROR}
        assert told == {"expression: all of the pipeline has more than 1,000,000 characters"}

    def test_steps_of_all_values_together(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sandbox, "MAX_ALL_STEPS", 50_000)
        found = sandbox.Sandbox(loader=None)
        template = found.from_string("{% for i in range(9000) %}{% endfor %}")
        for _ in range(6):
            found.start()
            template.render()
        with pytest.raises(JinjaError, match="all of the pipeline takes more than 50,000 steps"):
            found.start()

    def test_one_value(self) -> None:
        with pytest.raises(JinjaError, match="more than 10,000 numbers"):
            Expressions().evaluate("{{ range(10001) | join }}", {})

    def test_what_all_templates_render(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sandbox, "MAX_ALL_OUTPUT", 100_000)
        template = (
            "commands: {{ job.commands | tojson }}\nenv: {{ job.env | tojson }}\nlabel: {{ range(2000) | join }}\n"
        )
        found = (
            base({**manifest(area(variants=variants(30))), "templates/plain.yaml.j2": template}).generate().diagnostics
        )
        assert any("all of the pipeline has more than 100,000 characters" in one.message for one in found)


PATTERNS: Mapping[str, tuple[str, str]] = {
    "stars": ("src/" + "a*" * 30 + "b", "src/" + "a" * 200 + ".py"),
    "folders": ("**/a/" * 20 + "b", "/".join(["a"] * 200) + "/c"),
    "both": ("**/" + "*a*" * 10 + "/**/b", "/".join(["aaaaaaaaaa"] * 60) + "/c"),
    "sets": ("src/" + "[ab]*" * 30 + "c", "src/" + "ab" * 100),
}


@pytest.mark.parametrize("what", PATTERNS)
def test_patterns_take_no_time(what: str) -> None:
    pattern, path = PATTERNS[what]
    patterns = Patterns.compile([pattern])
    assert [patterns.match(f"{path}{number}") for number in range(300)] == [None] * 300


WORKSPACE = ".buildkite/pipegen.yaml"
LONG: Mapping[str, tuple[Mapping[str, str], str]] = {
    "a pattern of run_all": (
        {WORKSPACE: f"{SMALL[WORKSPACE]}selection: {{run_all: [{'a' * (MAX_LENGTH + 1)}]}}\n"},
        f"expected at most {MAX_LENGTH:,} characters",
    ),
    "a test path": (manifest({"a": {"tests": ["d" * (MAX_PATH + 1)]}}), f"at most {MAX_NAMES} names and {MAX_PATH:,}"),
    "a test path of many names": (manifest({"a": {"tests": ["d/" * (MAX_NAMES + 1)]}}), f"at most {MAX_NAMES} names"),
    "sources": (manifest(area(sources=["d/" * (MAX_NAMES + 1)])), f"at most {MAX_NAMES} names"),
    "a condition": (
        manifest(area(**{"if": "true || " * (MAX_CONDITION // 8) + "true"})),
        f"expected at most {MAX_CONDITION:,}",
    ),
    "a part's k": (
        manifest(area(parts={"one": {"k": " or ".join(["x"] * 501)}, "rest": {"rest": True}})),
        "at most 500 operands",
    ),
    "a nested k": (manifest(area(k="(" * 51 + "x" + ")" * 51)), "at most 50 levels"),
    "a condition of brackets": (
        manifest(area(**{"if": "build.branch =~ /" + "[a" * 40_000 + "/"})),
        "a set that never ends",
    ),
}


@pytest.mark.parametrize("what", LONG)
def test_long_texts(what: str) -> None:
    files, words = LONG[what]
    product = base(files).generate()
    assert product.document is None
    assert [one.message for one in product.diagnostics if words in one.message]
    assert all(len(one.message) < 2000 for one in product.diagnostics)


def misspelt() -> Iterator[tuple[str, Mapping[str, str], int]]:
    yield "keys", manifest(area(**some("tset", 20_000, lambda _: "x"))), 20_000
    yield "references", manifest(area(depends_on=[f"enginecore{number}" for number in range(20_000)])), 20_000
    text = {**DEFAULTS, "artifact_paths": "PATHS", "args": "ARGS", "areas": area()}
    anchors, aliases = (
        ", ".join(f"{sign}{number}{end}" for number in range(8_000)) for sign, end in (("&a", " x"), ("*b", ""))
    )
    aliased = json.dumps(text).replace('"PATHS"', f"[{anchors}]").replace('"ARGS"', f"[{aliases}]")
    yield "aliases", {"areas/engine.yaml": aliased}, 8_000


MISSPELT = {name: (files, count) for name, files, count in misspelt()}


@pytest.mark.parametrize("what", MISSPELT)
def test_suggestions_are_looked_up_for_some(what: str) -> None:
    """Each mistake is told; which words were meant is only looked up until that takes too long."""
    files, count = MISSPELT[what]
    found = base(files).generate().diagnostics
    assert len(found) == count
    helped = sum("did you mean" in one.help for one in found)
    assert helped < min(count, MAX_COMPARISONS)
