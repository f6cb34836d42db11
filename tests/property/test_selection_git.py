"""Selection by real git histories equals selection by what the histories' files say, worked out without git."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from pipegen import app
from pipegen.model import Outcome
from pipegen.select import ChangedFiles, Circumstances, select
from pipegen.select.edits import compare
from tests.support.repositories import Repository
from tests.support.selection import ENGINE, FILES, HARDWARE, WORKSPACE, fleet, keys

Files = dict[str, str]

START: Final[Mapping[str, str]] = {
    **FILES,
    ".buildkite/pipegen.yaml": WORKSPACE.replace("selection:\n", "selection:\n  base: main\n"),
    "src/engine/core.py": "1\n",
    "src/engine/cpu/core.py": "1\n",
    "src/rocm/core.py": "1\n",
    "tests/engine/test_a.py": "1\n",
    "tests/engine/deep/test_b.py": "1\n",
    "docs/index.rst": "1\n",
    "setup.py": "1\n",
    "other.c": "1\n",
}
CODE: Final = sorted(path for path in START if not path.startswith((".buildkite", "areas", "templates")))
MOVES: Final = (
    ("tests/engine/deep/", "tests/engine/"),
    ("tests/engine/", "tests/elsewhere/"),
    ("src/rocm/", "src/engine/"),
    ("src/engine/cpu/", "docs/"),
)
REWRITES: Final[Mapping[str, tuple[str, str]]] = {
    "reformat": ("areas/engine.yaml", "# the engine\n" + ENGINE.replace("group: Engine", "group:   'Engine'")),
    "timeout": ("areas/engine.yaml", ENGINE.replace("timeout_in_minutes: 50", "timeout_in_minutes: 55")),
    "sources": ("areas/engine.yaml", ENGINE.replace("src/deep/", "src/deeper/")),
    "hardware": (".buildkite/hardware.yaml", HARDWARE.replace("queue: mi,", "queue: mi, facts: {a: 1},")),
    "template": ("templates/shared.j2", "priority: 4\n"),
}

_STEPS = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(CODE), st.sampled_from("23")),
    st.tuples(st.just("delete"), st.sampled_from(CODE), st.just("")),
    st.tuples(st.just("move"), st.sampled_from([old for old, _ in MOVES]), st.just("")),
    st.tuples(st.just("rewrite"), st.sampled_from(sorted(REWRITES)), st.just("")),
    st.tuples(st.just("merge"), st.just(""), st.just("")),
)


def _moved(files: Files, old: str) -> Files:
    new = dict(MOVES)[old]
    return {new + path.removeprefix(old) if path.startswith(old) else path: text for path, text in files.items()}


def _after(files: Files, step: tuple[str, str, str]) -> Files:
    match step:
        case ("write", path, text):
            return {**files, path: text + "\n"}
        case ("delete", path, _):
            return {name: text for name, text in files.items() if name != path}
        case ("move", old, _):
            return _moved(files, old)
        case ("rewrite", name, _):
            path, text = REWRITES[name]
            return {**files, path: text}
        case _:
            return files


def _record(repository: Repository, before: Files, after: Files) -> None:
    for path in before.keys() - after.keys():
        repository.remove(path)
    for path, text in after.items():
        if before.get(path) != text:
            repository.write(path, text)
    repository.commit()


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(_STEPS, min_size=1, max_size=6), st.booleans())
def test_git_and_memory_select_alike(steps: list[tuple[str, str, str]], ahead: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        repository = Repository.create(Path(folder) / "fleet")
        main, head = dict(START), dict(START)
        base = main
        _record(repository, {}, main)
        repository.branch("change")
        for number, step in enumerate(steps):
            if step[0] == "merge":
                repository.switch("main")
                grown = {**main, f"main/{number}.py": "1\n"}
                _record(repository, main, grown)
                repository.switch("change")
                repository.merge("main")
                head = {**head, **{path: text for path, text in grown.items() if path.startswith("main/")}}
                base = main = grown
            else:
                after = _after(head, step)
                _record(repository, head, after)
                head = after
        if ahead:
            repository.switch("main")
            _record(repository, main, {**main, "main/later.py": "1\n"})
            repository.switch("change")
        _check(repository, base, head)


def _check(repository: Repository, base: Files, head: Files) -> None:
    changed = tuple(sorted(path for path in base.keys() | head.keys() if base.get(path) != head.get(path)))
    place = app.Place(root=repository.path, path=app.DEFAULT_WORKSPACE)
    request = app.Request(place=place, environment=dict(repository.command.environment))
    product = app.generate(request, app.Output(plan=True))
    assert product.plan is not None, product.diagnostics
    now, before = fleet(head | _unused(head)), fleet(base | _unused(base))
    if not changed:
        event("nothing differs: everything runs")
        assert [one.code.name for one in product.diagnostics if one.code.code.startswith("PG45")] == ["empty-diff"]
        return
    edits = compare(now.entries, before.entries, "templates/")
    plan = select(now.expansion, now.workspace, Circumstances(changes=ChangedFiles(paths=changed), edits=edits))
    expected = {one.job.key: (one.outcome.value, one.reason.text) for one in plan.planned}
    event(f"{len(keys(plan, Outcome.RUN))} jobs run")
    jobs = product.plan["jobs"]
    assert isinstance(jobs, list)
    assert {job["key"]: (job["outcome"], job["reason"]["text"]) for job in jobs} == expected


def _unused(files: Files) -> dict[str, str | None]:
    """Files of the small workspace that a history took away; none of them is one that a workspace needs."""
    return {path: None for path in FILES if path not in files}


def test_renaming_a_test_directory_selects_what_guarded_the_old_name_and_what_guards_the_new(tmp_path: Path) -> None:
    """On amd `engine` ran the directory; `other` runs it now, on cuda."""
    other = ENGINE + "  other:\n    tests: [elsewhere/]\n    sources: [src/other/]\n"
    repository = Repository.create(tmp_path / "fleet")
    start = {**START, "areas/engine.yaml": other}
    _record(repository, {}, start)
    repository.branch("change")
    repository.rename("tests/engine/deep", "tests/elsewhere/deep")
    repository.commit()
    place = app.Place(root=repository.path, path=app.DEFAULT_WORKSPACE)
    request = app.Request(place=place, environment=dict(repository.command.environment))
    product = app.generate(request, app.Output(plan=True))
    assert product.plan is not None
    jobs = product.plan["jobs"]
    assert isinstance(jobs, list)
    reasons = {job["key"]: job["reason"]["text"] for job in jobs if job["outcome"] == "run"}
    assert reasons["amd-engine"] == '"tests/engine/deep/test_b.py" changed, which it runs as a test'
    assert reasons["other"] == '"tests/elsewhere/deep/test_b.py" changed, which it runs as a test'
    assert "engine" not in reasons
