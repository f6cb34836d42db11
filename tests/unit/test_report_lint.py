"""What `lint` prints, in every format: golden files, and what each format's readers ask of it."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from pipegen.diagnostics import Code, Diagnostic, Edit, Related, Severity, Span
from pipegen.report.commonmark import MAX_BYTES
from pipegen.report.diff import unified_diff
from pipegen.report.github import render_github
from pipegen.report.lint import Findings
from pipegen.report.markdown import render_markdown, style
from pipegen.report.text import Style
from tests.support.golden import Golden
from tests.support.repositories import Repository
from tests.support.sarif import SCHEMA

FOLDER: Final = Path(__file__).parents[1] / "golden" / "lint"
BROKEN: Final = Code(code="PG301", name="unknown-hardware", summary="A step names hardware that is not there.")
ORPHAN: Final = Code(code="PG201", name="orphan", summary="Nobody owns it.", severity=Severity.FINDING)
SLOW: Final = Code(code="PG399", name="slow", summary="It takes long.", severity=Severity.WARNING)

MANIFEST: Final = "group: Engine\nareas:\n  engine:\n    tests: [engine/]\n    hardware: h10O\n"
TEXTS: Final = {"areas/engine.yaml": MANIFEST, "areas/größe, 100%.yaml": "a: 1\n", ".buildkite/pipegen.yaml": ""}
DIAGNOSTICS: Final = (
    Diagnostic(
        code=ORPHAN,
        span=Span(path="areas/engine.yaml", line=4, column=13, end_line=4, end_column=20),
        message='nobody owns "engine/*_sub*/", <b>see</b> [here](https://example.invalid) at 100%',
        help='add "engine/sub/": tests: ["engine/", "engine/sub/"]',
        related=(Related(span=Span(path="areas/größe, 100%.yaml", line=1, column=1), note="a `tick` stands here"),),
        fix=(
            Edit(span=Span(path="areas/engine.yaml", line=4, column=20, end_line=4, end_column=20), text=", sub/"),
            Edit(span=Span(path="areas/größe, 100%.yaml", line=1, column=1, end_line=1, end_column=2), text="b"),
        ),
    ),
    Diagnostic(
        code=BROKEN,
        span=Span(path="areas/engine.yaml", line=5, column=15, end_line=5, end_column=19),
        message='unknown hardware "h10O"',
        help='did you mean "h100"?',
    ),
    Diagnostic(
        code=SLOW,
        span=Span(path="areas/größe, 100%.yaml", line=1, column=1, end_line=2, end_column=1),
        message="it takes two lines",
    ),
    Diagnostic(code=SLOW, span=Span(path="tests/gone/"), message="the folder is as a whole what is meant"),
)
FINDINGS: Final = Findings(
    diagnostics=DIAGNOSTICS,
    old=(DIAGNOSTICS[3],),
    ignored=2,
    waived=1,
    texts=TEXTS,
    notes=("1 warning that main has too; pipegen lint without --base shows it",),
)
NOTHING: Final = Findings(diagnostics=(), old=(), ignored=0, waived=0, texts={"a.yaml": ""}, notes=())


def below(path: str) -> str:
    return f"project/{path}"


FORMATS: Final[dict[str, Callable[[Findings], str]]] = {
    "text": lambda found: found.text(Style(), lambda path: path),
    "json": lambda found: found.json(),
    "sarif": lambda found: found.sarif("1.2.3", below),
    "github": lambda found: found.github(below),
    "buildkite": lambda found: found.markdown(below),
}


@pytest.mark.parametrize("name", FORMATS)
def test_found(name: str, golden: Golden) -> None:
    golden.check(FOLDER / f"{name}.txt", FORMATS[name](FINDINGS))


@pytest.mark.parametrize("name", FORMATS)
def test_nothing(name: str, golden: Golden) -> None:
    golden.check(FOLDER / f"{name}-nothing.txt", FORMATS[name](NOTHING))


@pytest.mark.parametrize(
    ("counts", "ignored", "files", "said"),
    [
        ((0, 0, 0), 0, 12, "no findings in 12 files"),
        ((0, 0, 0), 3, 1, "no findings, 3 ignored in 1 file"),
        ((3, 2, 1), 0, 12, "3 errors, 2 findings, 1 warning in 12 files"),
        ((0, 1, 0), 1, 2, "1 finding, 1 ignored in 2 files"),
    ],
)
def test_summary(counts: tuple[int, int, int], ignored: int, files: int, said: str) -> None:
    kinds = [code for code, count in zip((BROKEN, ORPHAN, SLOW), counts, strict=True) for _ in range(count)]
    found = replace(
        NOTHING,
        diagnostics=tuple(Diagnostic(code=kind, span=Span(path="a"), message="m") for kind in kinds),
        ignored=ignored,
        texts={str(number): "" for number in range(files)},
    )
    assert found.summary == said


class TestSarif:
    def document(self, found: Findings = FINDINGS) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(found.sarif("1.2.3", below))
        return document

    @pytest.mark.parametrize("found", [FINDINGS, NOTHING])
    def test_is_as_the_standard_says(self, found: Findings) -> None:
        jsonschema.Draft202012Validator(SCHEMA).validate(self.document(found))

    def test_the_schema_refuses(self) -> None:
        document = self.document()
        document["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.Draft202012Validator(SCHEMA).validate(document)

    def test_results_are_those_of_their_rules(self) -> None:
        (run,) = self.document()["runs"]
        rules = run["tool"]["driver"]["rules"]
        assert [rules[one["ruleIndex"]]["id"] for one in run["results"]] == [one["ruleId"] for one in run["results"]]
        assert sorted({one["ruleId"] for one in run["results"]}) == [rule["id"] for rule in rules]

    def test_names_of_files_are_uris(self) -> None:
        found = self.document()["runs"][0]["results"][2]["locations"][0]["physicalLocation"]["artifactLocation"]
        assert found == {"uri": "project/areas/gr%C3%B6%C3%9Fe%2C%20100%25.yaml", "uriBaseId": "SRCROOT"}

    def test_fingerprints_stay_when_lines_move_and_tell_twins_apart(self) -> None:
        one = DIAGNOSTICS[1]
        moved = replace(one, span=replace(one.span, line=50, end_line=50))
        marks = [
            [result["partialFingerprints"]["pipegen/v1"] for result in self.document(found)["runs"][0]["results"]]
            for found in (replace(NOTHING, diagnostics=(one,)), replace(NOTHING, diagnostics=(moved, moved)))
        ]
        assert marks[0][0] == marks[1][0] != marks[1][1]

    def test_pages_are_there(self) -> None:
        for rule in self.document()["runs"][0]["tool"]["driver"]["rules"]:
            (page,) = re.findall(r"See (\S+) of", rule["help"]["text"])
            file, _, anchor = page.partition("#")
            assert (FOLDER.parents[2] / file).is_file()
            assert re.fullmatch(r"pg\d{3}-[a-z-]+", anchor)


class TestGithub:
    def test_nothing_ends_a_command_early(self) -> None:
        odd = Diagnostic(
            code=ORPHAN, span=Span(path="a:b,c\r\nd%.yaml", line=1, column=1), message="::error::\nx %0A\ry", help="h\r"
        )
        (line, rest) = render_github([odd], lambda path: path).split("\n")
        assert rest == ""
        assert line.startswith("::error file=a%3Ab%2Cc%0D%0Ad%25.yaml,line=1,endLine=1,col=1,title=PG201 orphan::")
        assert "%250A" in line

    @given(st.text(max_size=30), st.text(max_size=30))
    @settings(max_examples=50)
    def test_is_read_back(self, path: str, message: str) -> None:
        """By the rules of GitHub's runner: properties end at a comma, the rest at the end of the line."""
        found = Diagnostic(code=ORPHAN, span=Span(path=path, line=2, column=3), message=message)
        lines = re.split(r"[\r\n]", render_github([found], lambda one: one))
        assert (len(lines), lines[1]) == (2, "")
        properties = lines[0].removeprefix("::error ").split("::", 1)[0]
        read = dict(one.split("=", 1) for one in properties.split(","))
        assert decoded(read["file"]) == path
        assert read["line"] == "2"


def decoded(value: str) -> str:
    for written, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        value = value.replace(written, character)
    return value


class TestMarkdown:
    def test_the_worst_comes_first(self) -> None:
        lines = [line for line in FINDINGS.markdown(below).split("\n") if line.startswith("- ")]
        assert [re.findall(r"PG\d+", line)[0] for line in lines] == ["PG301", "PG201", "PG399", "PG399"]

    def test_style(self) -> None:
        assert [style(DIAGNOSTICS[:end]) for end in (2, 1)] == ["error", "error"]
        assert (style(DIAGNOSTICS[2:]), style(())) == ("warning", "success")

    def test_too_much_is_cut_and_counted(self) -> None:
        many = [replace(DIAGNOSTICS[1], message="ü" * 1000, span=Span(path=f"{at}.yaml")) for at in range(2000)]
        text = render_markdown(many, "2000 errors in 2000 files", ["a note"], below)
        assert len(text.encode()) <= MAX_BYTES
        shown = text.count("PG301")
        assert 0 < shown < 2000
        assert f"and {2000 - shown} more: the job prints all of them" in text
        assert text.endswith("\na note\n")


class TestDiff:
    def test_git_takes_it(self, tmp_path: Path) -> None:
        made = Repository.create(tmp_path / "repository")
        before = {"a.yaml": "one\ntwo\nthree\n", "sub/größe b.yaml": "one\r\ntwo", "same.yaml": "same\n"}
        after = {"a.yaml": "one\n2\nthree\n", "sub/größe b.yaml": "one\r\ntwo\r\nthree\x0bfour", "same.yaml": "same\n"}
        for name, text in before.items():
            made.write(name, text)
        patch = unified_diff({name: (before[name], after[name]) for name in before})
        made.git("apply", "--whitespace=nowarn", "-", content=patch.encode())
        assert {name: (made.path / name).read_bytes().decode() for name in before} == after

    def test_nothing(self) -> None:
        assert unified_diff({"a.yaml": ("same\n", "same\n")}) == ""


def test_json_is_read_as_yaml_too() -> None:
    document = json.loads(FINDINGS.json())
    assert yaml.safe_load(FINDINGS.json()) == document
    assert document["summary"] == {
        "errors": 1,
        "findings": 1,
        "warnings": 2,
        "old": 1,
        "ignored": 2,
        "waived": 1,
        "files": 3,
    }
