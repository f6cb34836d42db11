"""The real pytest as the judge: what the rules call unowned, missing or collected by no job is just that."""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from pipegen import app
from pipegen.diagnostics import has_errors
from pipegen.rules.orphans import orphans
from pipegen.rules.ownership import taken_in
from tests.support.collected_by_pytest import collected, make_tree, shell_words
from tests.support.rules import BASE, Case, facts_from, found_in, plans_of

FILES = (
    *("a/test_1.py", "a/test_2.py", "a/b/test_1.py", "a/b/test_3.py", "a/b/c/test_4.py", "a/build/test_5.py"),
    *("a/.old/test_6.py", "d/test_1.py", "d/e/test_7.py", "d/helper.py", "test_8.py", "f/g/test_9.py"),
)
ENTRIES = (
    *("a/", "a/b/", "a/b/c/", "a/build/", "d/", "d/e/", "f/", "a/test_1.py", "a/b/test_1.py", "d/helper.py"),
    *("a/test_*.py", "test_8.py", "d/e/test_7.py", "a/gone/", "f/g/gone.py"),
)
IGNORES = ("a/test_2.py", "a/b/", "a/b/test_3.py", "d/e/", "f/g/", "a/build/test_5.py")
AREAS = st.lists(
    st.tuples(st.lists(st.sampled_from(ENTRIES), min_size=1, max_size=2, unique=True), st.sampled_from(["", *IGNORES])),
    min_size=1,
    max_size=3,
)


def workspace(areas: list[tuple[list[str], str]], files: set[str], root: Path) -> Case:
    """A workspace of these areas, each with its paths and what it ignores."""
    manifest = "group: A\nowner: core\nhardware: cpu\ntimeout_in_minutes: 5\n\nareas:\n"
    for number, (entries, ignored) in enumerate(areas):
        manifest += f"  area{number}:\n    tests: [{', '.join(map(quoted, entries))}]\n"
        manifest += f"    ignore: [{quoted(ignored)}]\n" if ignored else ""
    base = {path: content for path, content in BASE.items() if path.startswith((".buildkite/", "templates/"))}
    base[".buildkite/pipegen.yaml"] += f"tests: {{checkout: {root}, working_dir: {root}/tests}}\n".encode()
    tests = {f"tests/{path}": b"" for path in files}
    return Case(files={**base, **tests, "areas/a.yaml": manifest.encode()})


def quoted(path: str) -> str:
    return f'"{path}"'


def told(case: Case) -> tuple[Mapping[str, set[str]], set[str], set[str]]:
    """The commands of each area with what they own, the unowned files, and the areas with files that do not run."""
    plans = [plan for plan in plans_of(case) if isinstance(plan, app.Plan)]
    assume(not has_errors(one for plan in plans for one in plan.diagnostics))
    facts = facts_from(case, plans)
    loose = orphans(facts)
    unowned = {*(path for path, _ in loose.files), *(path for _, inside, _ in loose.folders for path in inside)}
    unrun = [one.message for one in found_in(facts) if one.code.code == "PG206"]
    areas = {name for message in unrun for name in re.findall('area "([^"]*)" owns', message)}
    owned: dict[str, set[str]] = {}
    for path, claim in facts.ownership.on("cpu").items():
        owned.setdefault(claim.area, set()).add(path)
    for claim in facts.ownership.claims:  # a file that is named owns itself, whatever it is called
        named = {claim.test.file} & facts.inventory.files.known - facts.ownership.owned
        owned.setdefault(claim.area, set()).update(named)
        assert set(taken_in(claim.test, facts.inventory.tests, facts.inventory.files)) <= facts.ownership.owned
    return owned, unowned, areas


@settings(
    max_examples=5,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(chosen=st.sets(st.sampled_from(FILES), min_size=5), areas=AREAS)
def test_what_is_told_is_what_pytest_leaves(
    chosen: set[str], areas: list[tuple[list[str], str]], tmp_path: Path
) -> None:
    root = tmp_path / "tree"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    case = workspace(areas, chosen, root)
    owned, unowned, idle = told(case)
    make_tree(root, (f"tests/{path}" for path in chosen))
    plan = next(plan for plan in plans_of(case) if isinstance(plan, app.Plan))
    missing = {f"tests/{path.rstrip('/')}" for entries, _ in areas for path in entries if not _is_there(path, chosen)}
    calls = [command.run for job in plan.expansion.jobs for command in job.commands]
    # pytest runs nothing at all when a path is missing: that is told of the path, and taken out here.
    kept = [" ".join(word for word in call.split() if f"tests/{word.rstrip('/')}" not in missing) for call in calls]
    asked = [("tests", shell_words(call, root / "tests")[1:]) for call in kept if _names_any(call)]
    ran = {node.partition("::")[0] for _, nodes in collected(root, asked) for node in nodes}
    files = {f"tests/{path}" for path in chosen if path.rpartition("/")[2].startswith("test_")}
    loose = files - set().union(*owned.values())
    assert unowned <= loose
    assert missing or unowned == loose  # what a missing path may have meant is told there alone
    assert idle == {area for area, paths in owned.items() if paths - ran}


def _is_there(path: str, files: set[str]) -> bool:
    if "*" in path:
        return any(re.fullmatch(path.replace(".", r"\.").replace("*", "[^/]*"), file) for file in files)
    return any(file == path or file.startswith(path.rstrip("/") + "/") for file in files)


def _names_any(call: str) -> bool:
    return any(not word.startswith("-") for word in call.split()[1:])
