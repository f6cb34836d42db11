"""One example of every kind of diagnostic: what somebody wrote, and the exact words that pipegen finds for it.

Examples are the golden cases, the tables of what Buildkite refuses, and small builds that are tried here.
"""

import importlib
import os
import pkgutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

import yaml

import pipegen
from pipegen import app
from pipegen.app.cases import check_selection_cases
from pipegen.diagnostics import Code, Diagnostic
from pipegen.dollar import UPLOAD_CLOSE, UPLOAD_OPEN
from pipegen.emit.yaml import to_yaml
from pipegen.plain import Plain
from pipegen.report.text import Style, render_text
from tests.golden.test_diagnostics import APART, CASES, HEADLINE, PREPARED, cases
from tests.support import waivers
from tests.support.bases import Base
from tests.support.rules import CASES as RULE_CASES
from tests.support.workspaces import FILES as SMALL
from tests.support.workspaces import run, write
from tests.unit.validate.tables import attributes, conditions, frame, matrix, records, shapes
from tests.unit.validate.tables.case import Case

IGNORES: Final = CASES.parent / "ignores"

MOST_LINES: Final = 16
"""Lines of an input that are shown whole; of more, those around the mistake."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """What somebody wrote (empty where that is nothing to show), where or how, and what pipegen says."""

    where: str
    written: str
    said: str


def every_code() -> Mapping[str, Code]:
    """Every code that any module of pipegen defines, by its number."""
    found: dict[str, Code] = {}
    for module in pkgutil.walk_packages(pipegen.__path__, "pipegen."):
        if module.name.endswith("__main__"):
            continue
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, Code):
                found[value.code] = value
    return dict(sorted(found.items()))


PREFERRED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "PG101": "file-missing-hardware",
        "PG102": "file-not-utf8-manifest",
        "PG104": "yaml-syntax-unclosed-bracket",
        "PG105": "duplicate-key-area",
        "PG106": "yaml-tag",
        "PG107": "yaml-aliases-expand-without-end",
        "PG108": "unknown-key-area",
        "PG109": "type-timeout",
        "PG110": "missing-hardware-lane",
        "PG111": "empty-value",
        "PG113": "unknown-owner",
        "PG114": "name-env",
        "PG116": "plus-with-nothing-inherited",
        "PG117": "jinja-undefined-variable",
        "PG118": "key-jinja",
        "PG120": "area-defined-twice-in-two-files",
        "PG122": "test-path-option",
        "PG203": "owned-twice",
        "PG301": "unknown-hardware",
        "PG302": "gpus-not-offered",
        "PG303": "no-hardware-mirror",
        "PG305": "shards-without-words",
        "PG601": "runs-nothing",
        "PG750": "template-undefined-variable",
        "PG751": "template-without-commands",
        "PG752": "key-collision",
        "PG763": "template-replaces-an-attribute",
    }
)
"""Golden cases that show a code best; of the others the shortest is taken."""

ELSEWHERE: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{
            f"PG{number}": "moving in: `pipegen import` prints it, and tests/unit/importer holds its words"
            for number in range(901, 915)
        },
    }
)
"""Codes without an example, and why."""


def examples() -> Mapping[str, Example]:
    """The example of every code that has one."""
    by_code: dict[str, Example] = {}
    for source in (from_tables, from_builds, from_git, from_rules, from_ignores, from_waivers, from_goldens):
        by_code.update(source())
    return by_code


# --- Golden cases ---------------------------------------------------------------------------------------------------


def from_goldens() -> Mapping[str, Example]:
    """Of each code the preferred case, or the shortest that shows nothing else."""
    by_code: dict[str, list[tuple[int, int, str]]] = {}
    for case in cases():
        said = (CASES / case / "expected.txt").read_text(encoding="utf-8")
        codes = [code for code, *_ in HEADLINE.findall(said)]
        for code in codes:
            by_code.setdefault(code, []).append((len(set(codes)), len(said), case))
    chosen = {code: PREFERRED.get(code, min(found)[2]) for code, found in by_code.items()}
    return {code: _golden(code, case) for code, case in chosen.items()}


def _golden(code: str, case: str) -> Example:
    said = (CASES / case / "expected.txt").read_text(encoding="utf-8")
    block = next(block for block in said.split("\n\n") if f" {code} " in block.split("\n")[0])
    path, line, _ = block.split(" ")[0].split(":")
    content = _content(case, path)
    written = "" if content is None else excerpt(content, int(line))
    return Example(where=path, written=written, said=block)


def _content(case: str, path: str) -> str | None:
    """What the case puts at the path of the diagnostic; None where that is no text, or not put there by the case."""
    place = CASES / case / path
    if case in PREPARED or path in APART or not place.is_file():
        return None
    return place.read_text(encoding="utf-8")


def excerpt(text: str, line: int) -> str:
    """A file, or the lines of it around one."""
    rows = text.rstrip("\n").split("\n")
    if len(rows) <= MOST_LINES:
        return "\n".join(row[:160] for row in rows)
    start = max(0, line - MOST_LINES // 2)
    shown = [row[:160] for row in rows[start : start + MOST_LINES]]
    return "\n".join((["…"] if start else []) + shown + (["…"] if start + MOST_LINES < len(rows) else []))


# --- Rules ------------------------------------------------------------------------------------------------------------


def rule_cases() -> list[str]:
    """The bad cases of all rules, by `RULE/CASE`: of each rule the plain one first."""
    return sorted(path.parent.relative_to(RULE_CASES).as_posix() for path in RULE_CASES.glob("*/bad*/expected.txt"))


def from_rules() -> Mapping[str, Example]:
    """Of each code of a rule the first bad case that shows it."""
    found: dict[str, Example] = {}
    for case in rule_cases():
        said = (RULE_CASES / case / "expected.txt").read_text(encoding="utf-8")
        for block in said.split("\n\n"):
            headline = HEADLINE.match(block)
            if headline is not None and headline[1] not in found:
                found[headline[1]] = _of_rule(case, block)
    return found


def _of_rule(case: str, block: str) -> Example:
    path, line, _ = block.split(" ", maxsplit=1)[0].split(":")
    place = RULE_CASES / case / path
    if not place.is_file():  # of a file of the repository only the name counts
        return Example(where="a repository", written="", said=block)
    return Example(where=path, written=excerpt(place.read_text(encoding="utf-8"), int(line)), said=block)


# --- Inline ignores ---------------------------------------------------------------------------------------------------


def from_ignores() -> Mapping[str, Example]:
    """What is wrong with inline ignores: a line of a manifest for each."""
    lines = (IGNORES / "engine.yaml").read_text(encoding="utf-8").split("\n")
    found = {}
    for block in ignore_blocks():
        headline = HEADLINE.match(block)
        if headline is not None:
            path, line, _ = block.split(" ")[0].split(":")
            written = "\n".join(lines[int(line) - 1 : int(line) + lines[int(line) - 1].strip().startswith("#")])
            found[headline[1]] = Example(where=path, written=written, said=block)
    return found


def ignore_blocks() -> list[str]:
    """Every diagnostic of the golden file of inline ignores."""
    return (IGNORES / "expected.txt").read_text(encoding="utf-8").split("\n\n")


# --- Waivers ----------------------------------------------------------------------------------------------------------


def from_waivers() -> Mapping[str, Example]:
    """What is wrong with waivers: a line of the golden workspace file for each."""
    lines = (waivers.FOLDER / waivers.PATH).read_text(encoding="utf-8").split("\n")
    found: dict[str, Example] = {}
    for block in waiver_blocks():
        headline = HEADLINE.match(block)
        if headline is not None:
            line = int(block.split(":")[1])
            written = "waivers:\n" + lines[line - 1]
            found.setdefault(headline[1], Example(where=".buildkite/pipegen.yaml", written=written, said=block))
    return found


def waiver_blocks() -> list[str]:
    """Every diagnostic of the golden file of waivers."""
    return (waivers.FOLDER / "expected.txt").read_text(encoding="utf-8").split("\n\n")


# --- Tables of what Buildkite refuses ---------------------------------------------------------------------------------

TABLES: Final = (attributes, records, matrix, conditions, frame, shapes)


def from_tables() -> Mapping[str, Example]:
    """Of each code the first step that has it; where a step comes from, a manifest or template, it is shown there."""
    first: dict[str, Case] = {}
    for table in TABLES:
        for case in table.CASES:
            first.setdefault(case.code.code, case)
    return {code: _step(case) for code, case in first.items()}


def _step(case: Case) -> Example:
    word = "" if case.code.severity.value == "error" else f"{case.code.severity.value}: "
    said = f"{case.code.code} {word}{case.message} [{case.code.name}]"
    said += f"\n  = help: {case.help}" if case.help else ""
    return Example(where="a rendered step", written=_yaml(case.bad), said=said)


def _yaml(step: Plain) -> str:
    shown = _with_references(step)
    try:
        text = to_yaml(shown)
    except (TypeError, ValueError):  # what pipegen refuses to write
        text = yaml.safe_dump(shown, sort_keys=False, width=100_000)
    rows = [row if len(row) <= 120 else f"{row[:100]}…" for row in text.rstrip("\n").split("\n")]
    return "\n".join(rows if len(rows) <= MOST_LINES else [*rows[:MOST_LINES], "…"])


def _with_references(value: Plain) -> Plain:
    """The same with upload references as authors write them."""
    match value:
        case str():
            return value.replace(UPLOAD_OPEN, "{{ upload.").replace(UPLOAD_CLOSE, " }}")
        case Mapping():
            return {str(_with_references(name)): _with_references(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_with_references(inner) for inner in value]
        case _:
            return value


# --- Builds ---------------------------------------------------------------------------------------------------

WORKSPACE: Final = ".buildkite/pipegen.yaml"


def _base(more: str = "", files: Mapping[str, str] | None = None) -> Base:
    given = {**SMALL, WORKSPACE: SMALL[WORKSPACE] + more, **(files or {})}
    return Base(name="small", files={path: text.encode() for path, text in given.items()}, authored=())


def _said(base: Base, code: str, found: Iterable[Diagnostic]) -> str:
    texts = {path: content.decode() for path, content in base.files.items()}
    chosen = [one for one in found if one.code.code == code][:1]
    shown = render_text(chosen, texts.get, Style(color=False), shown_path=lambda path: path)
    return shown.split("\n\n")[0].rstrip("\n")


def _build(code: str, asked: app.Asked, how: str, more: str = "") -> Example:
    base = _base(more)
    product = app.generate(base.request(), app.Output(), asked)
    return Example(where=how, written=more.rstrip("\n"), said=_said(base, code, product.diagnostics))


def from_builds() -> Mapping[str, Example]:
    """What is said of a build and not of a file."""
    listing = "listing: .buildkite/tree.txt\n"
    cases_file = "cases:\n  - {name: the engine changes, changed: src/engine/a.py, exactly: [image-build]}\n"
    base = _base("selection: {cases: ci/cases.yaml}\n", {"ci/cases.yaml": cases_file, ".buildkite/tree.txt": ""})
    found = check_selection_cases(base.request(), base.sound_plan())
    listed = _base(listing, {".buildkite/tree.txt": "tests/engine/test_core.py\n"})
    unknown = app.generate(listed.request(), app.Output(), app.Asked())
    return {
        "PG410": Example(where=WORKSPACE, written=listing.rstrip(), said=_said(listed, "PG410", unknown.diagnostics)),
        "PG411": _build(
            "PG411", app.Asked(changed_files=b"src/new/a.py\n"), "a build whose --changed-files names src/new/a.py"
        ),
        "PG412": Example(where="ci/cases.yaml", written=cases_file.rstrip(), said=_said(base, "PG412", found)),
        "PG413": _build("PG413", app.Asked(changed_files=b""), "a build whose --changed-files is an empty file"),
    }


# --- git ------------------------------------------------------------------------------------------------------

_WHO: Final = {
    f"GIT_{role}_{name}": value
    for role in ("AUTHOR", "COMMITTER")
    for name, value in {"NAME": "a", "EMAIL": "a@b.invalid", "DATE": "2026-01-01T00:00:00Z"}.items()
}
_BASED: Final = "selection: {base: main}\n"
_INIT: Final = ("init -q -b main", "add -A", "commit -q -m one")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Situation:
    """A state of a repository: what git is told to make it, how pipegen is called, and with which environment."""

    how: str
    commands: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    more: str = _BASED
    path: str = ""
    script: str = ""


SITUATIONS: Final[Mapping[str, _Situation]] = MappingProxyType(
    {
        "PG450": _Situation(how="a machine without git", commands=_INIT, path="/nowhere"),
        "PG451": _Situation(how="a git that fails", commands=_INIT, script="echo 'fatal: out of luck' >&2; exit 128"),
        "PG452": _Situation(how="a folder that is no repository"),
        "PG453": _Situation(how="a repository without a commit", commands=_INIT[:1]),
        "PG454": _Situation(how="a workspace without selection.base", commands=_INIT, more=""),
        "PG455": _Situation(how="a build with --base=--output=a.txt", commands=_INIT, words=("--base=--output=a.txt",)),
        "PG456": _Situation(how="a build with --base mian", commands=_INIT, words=("--base", "mian")),
        "PG457": _Situation(
            how="a branch without a common commit",
            commands=(*_INIT, "switch -q --orphan island", "checkout main -- .", "commit -q -m two"),
        ),
        "PG459": _Situation(
            how="a commit without changes", commands=(*_INIT, "switch -q -c topic", "commit -q --allow-empty -m two")
        ),
    }
)
"""How to come by each of git's causes."""


def from_git() -> Mapping[str, Example]:
    """What is said where git does not tell what changed."""
    found = {code: _situation(code, situation) for code, situation in SITUATIONS.items()}
    return {**found, "PG458": _shallow()}


def _situation(code: str, situation: _Situation) -> Example:
    with tempfile.TemporaryDirectory() as folder:
        root = write(Path(folder) / "repository", {**SMALL, WORKSPACE: SMALL[WORKSPACE] + situation.more})
        for command in situation.commands:
            _git(root, command)
        path = situation.path or os.environ.get("PATH", "")
        if situation.script:
            path = str(_program(Path(folder) / "bin", situation.script))
        return _generated(code, root, situation.how, situation.words, path)


def _shallow() -> Example:
    """A clone of one commit whose origin is gone."""
    with tempfile.TemporaryDirectory() as folder:
        origin = write(Path(folder) / "origin", {**SMALL, WORKSPACE: SMALL[WORKSPACE] + _BASED})
        more = ("switch -q -c topic", "commit -q --allow-empty -m two", "commit -q --allow-empty -m three")
        for command in (*_INIT, *more):
            _git(origin, command)
        subprocess.run(
            ["git", "clone", "-q", "--depth", "1", "--no-single-branch", f"file://{origin}", f"{folder}/clone"],
            check=True,
            env=_environment(),
        )
        _git(Path(folder) / "clone", "branch main origin/main")
        _git(Path(folder) / "clone", "remote remove origin")
        return _generated("PG458", Path(folder) / "clone", "a clone of one commit", (), os.environ.get("PATH", ""))


def _generated(code: str, root: Path, how: str, words: Iterable[str], path: str) -> Example:
    ran = run(
        "generate", *words, cwd=root, env={**_environment(), "PATH": path, "GIT_CEILING_DIRECTORIES": str(root.parent)}
    )
    block = next((block for block in ran.stderr.split("\n\n") if f" {code} " in block.split("\n")[0]), ran.stderr)
    return Example(where=how, written="", said=block.rstrip("\n"))


def _environment() -> dict[str, str]:
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "HOME": os.devnull}
    return {**_WHO, **quiet, "PATH": os.environ.get("PATH", "")}


def _git(root: Path, command: str) -> None:
    subprocess.run(["git", "-C", str(root), *command.split(" ")], check=True, env=_environment(), capture_output=True)


def _program(folder: Path, text: str) -> Path:
    """A folder with a `git` of our own."""
    folder.mkdir()
    (folder / "git").write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    (folder / "git").chmod(0o755)
    return folder
