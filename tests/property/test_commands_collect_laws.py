"""What the collection model says, against the real pytest on small trees."""

import shutil
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from pipegen.commands.collecting.collect_ignores import collect_ignores
from pipegen.commands.collecting.collector import Collection, Collector
from pipegen.commands.collecting.files import Files
from pipegen.commands.collecting.pytest_settings import pytest_settings
from pipegen.commands.reader import CommandReader, tables_with
from pipegen.commands.reading import Searched, TestRun
from tests.support.collected_by_pytest import CONTENT, collected, make_tree, shell_words

FILES = (
    *("test_top.py", "t/test_a.py", "t/test_b.py", "t/a_test.py", "t/helper.py", "t/.test_h.py", "t/test_no.txt"),
    *("t/sub/test_a.py", "t/sub/test_c.py", "t/sub/deep/test_d.py", "t/subway/test_w.py", "t/build/test_e.py"),
    *("t/build/more/test_f.py", "t/.hidden/test_g.py", "t/env/pyvenv.cfg", "t/env/test_v.py", "u/test_a.py"),
    *("u/v/test_a_b.py", "u/odd[1]/test_o.py", "u/sp ace/test_s.py"),
)
PATHS = st.sampled_from(
    [
        *("t", "t/", "./t", "t/sub", "t/sub/", "t/sub/deep", "t/subway", "u", ".", "t/../u", "t/build", "t/build/more"),
        *("t/.hidden", "t/env", "t/test_a.py", "t/helper.py", "t/test_no.txt", "t/sub/test_a.py", "t/build/test_e.py"),
        *("t/test_a.py::test_one", "t/test_a.py::test_many", "'t/test_a.py::test_many[1]'", "t/test_a.py::TestIt"),
        *("t/test_a.py::TestIt::test_in", "t/helper.py::test_one", "t/missing.py", "t/missing", "t/sub::test_one"),
        *("t/test_*.py", "t/*", "t/sub*", "t/*/test_a.py", "*/test_a.py", "t/**/test_d.py", "t/test_[ab].py"),
        *("t/test_[!a].py", "t/none_*.py", "t/test_?.py", "t/{test_a,a_test}.py", "u/odd[1]", "'u/odd[1]'"),
        *("t/.*/test_g.py", "u/*/", "'t/test_*.py'", "u/sp\\ ace", '"u/sp ace/"*', "$(find t -name 'test_a*')"),
        *("$(find t -maxdepth 1 -name 'test_*.py')", "$(find t/sub -type d)", "$(find t -not -name '*a*' -type f)"),
    ]
)
OPTIONS = st.sampled_from(
    [
        *("--ignore=t/sub", "--ignore t/sub/", "--ignore=t/test_a.py", "--ignore=t", "--ignore=t/none", "--ignore=u/v"),
        *("--ignore=t/sub/deep/test_d.py", "--ignore=t/build", "--ignore=./t/../t/sub", "--ignore=t/helper.py"),
        *("--ignore-glob='t/*_a.py'", "--ignore-glob='*/sub'", "--ignore-glob='t/s*'", "--ignore-glob='*.py'"),
        *(
            "--ignore-glob='t/test_[a]*'",
            "--ignore-glob '*deep*'",
            "--ignore-glob='none*'",
            "--ignore-glob=t/test_*.py",
        ),
        *("--deselect t/test_a.py", "--deselect=t/sub", "--deselect t/test_a.py::test_one", "--deselect=t/test"),
        *(
            "--deselect='t/test_a.py::test_many[1]'",
            "--deselect=t/test_a.py::Test",
            "-k=one",
            "-m 'not x'",
            "-v",
            "-xs",
        ),
        *("-o python_files='a_*.py helper.py'", "-o norecursedirs=sub", "-o 'python_files=*.py'", "--tb short", "-rA"),
        *("--maxfail=2", "--durations 3", "-p no:randomly", "-W ignore", "--keep-duplicates", "-o testpaths=u"),
    ]
)
ASKED = st.tuples(st.sampled_from(["", "", "t", "u/v"]), st.lists(PATHS, max_size=3), st.lists(OPTIONS, max_size=2))


class TestCollection:
    # A failure lists every difference that it found: to make it smaller would ask pytest hundreds of times.
    @settings(
        max_examples=3,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )
    @given(chosen=st.sets(st.sampled_from(FILES), min_size=6), asked=st.lists(ASKED, min_size=60, max_size=100))
    def test_it_is_what_pytest_collects(
        self, chosen: set[str], asked: list[tuple[str, list[str], list[str]]], tmp_path: Path
    ) -> None:
        root = tmp_path / "tree"
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir()
        files = {*chosen, "t/test_a.py", "u/v/test_a_b.py"}
        make_tree(root, files)
        commands = [(folder, " ".join([*options, *paths])) for folder, paths, options in asked]
        words = [(folder, shell_words(f"x {text}", root / folder)[1:]) for folder, text in commands]
        reader = CommandReader(checkout=str(root))
        collector = Collector(files=Files.of({*files, "pytest.ini"}), checkout=str(root))
        differences = []
        for (folder, text), (status, ids) in zip(commands, collected(root, words), strict=True):
            reading = reader.read([f"pytest {text}"], working_dir=folder)
            assert not reading.unread, text
            [run] = reading.runs
            difference = compare(run, collector.collect(run), status, ids)
            if difference:
                differences.append(f"in {folder!r}: pytest {text}: {difference}")
        assert not differences, "\n".join(differences)


def compare(run: TestRun, found: Collection, status: int, ids: list[str]) -> str:
    """What is different between what a run is said to collect and what pytest collected; empty where nothing is."""
    if any(isinstance(target, Searched) for target in found.missing):
        # A shell that is given nothing by `$(find …)` calls pytest without paths, which is not what was meant.
        return ""
    # Status 4 is a mistake in the call: a path that does not exist, a node id of a folder.
    if bool(found.missing) != (status == 4):
        return f"status {status}, and missing are {found.missing}"
    if status == 4:
        return ""
    real = {one.partition("::")[0] for one in ids}
    said = {one.path for one in found.files}
    if run.k is not None or run.m is not None:
        return "" if said >= real else f"lacks {real - said}"
    return "" if said == real else f"lacks {real - said}, has {said - real} too"


CONFTESTS = st.dictionaries(
    st.sampled_from(["conftest.py", "t/conftest.py", "t/sub/conftest.py", "u/conftest.py"]),
    st.lists(
        st.sampled_from(
            [
                *('collect_ignore = ["t/sub", "u/test_a.py"]', 'collect_ignore = ["test_a.py", "sub/deep", "v"]'),
                *("collect_ignore = []", 'collect_ignore = ["../u/v", "test_c.py"]', "collect_ignore = ['t']"),
                *('collect_ignore_glob = ["*_a.py"]', 'collect_ignore_glob = ["t/*", "deep"]', "x = 1"),
                *(
                    'collect_ignore_glob = ["*/sub"]',
                    'collect_ignore_glob = ["test_[ac]*"]',
                    *(
                        "collect_ignore_glob = []",
                        'collect_ignore_glob = ["./test_*.py"]',
                        'collect_ignore_glob = ["../u/*"]',
                    ),
                    'collect_ignore = ["test_b.py"]; collect_ignore.remove("test_b.py")',
                ),
            ]
        ),
        max_size=2,
    ).map(lambda lines: "".join(f"{line}\n" for line in lines)),
    max_size=3,
)
OF_SETTINGS = st.sampled_from(
    [
        *("", "", "--noconftest", "--confcutdir=ROOT/t", "--confcutdir ROOT/t/sub", "-c ROOT/other.ini"),
        *("-o addopts=--ignore=ROOT/t/sub", "-o addopts=", "--override-ini addopts=-v"),
    ]
)
"""ROOT is where the tree is: pytest refuses a path that is not there."""
ADDOPTS = st.lists(OPTIONS.filter(lambda option: option not in ("-v", "-xs", "-rA")), max_size=2)


class TestOwnSettings:
    @settings(
        max_examples=6,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )
    @given(
        conftests=CONFTESTS,
        addopts=ADDOPTS,
        nested=st.booleans(),
        asked=st.lists(st.tuples(ASKED, OF_SETTINGS), min_size=30, max_size=40),
    )
    def test_what_they_leave_out_is_what_pytest_leaves_out(
        self,
        conftests: dict[str, str],
        addopts: list[str],
        nested: bool,
        asked: list[tuple[tuple[str, list[str], list[str]], str]],
        tmp_path: Path,
    ) -> None:
        root = tmp_path / "tree"
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir()
        make_tree(root, FILES)
        for path, text in conftests.items():
            (root / path).write_text(text + CONTENT, encoding="utf-8")  # a conftest may hold tests as well
        (root / "pytest.ini").write_text(f"[pytest]\naddopts = {' '.join(addopts)}\n", encoding="utf-8")
        (root / "other.ini").write_text("[pytest]\n", encoding="utf-8")
        settings = ["pytest.ini", "t/sub/pytest.ini"] if nested else ["pytest.ini"]
        (root / settings[-1]).touch()
        own = pytest_settings(lambda path: (root / path).read_text() if (root / path).is_file() else None, [""])
        assert own is not None
        commands = [
            (folder, " ".join([more.replace("ROOT", str(root)), *options, *paths]))
            for (folder, paths, options), more in asked
        ]
        words = [(folder, shell_words(f"x {text}", root / folder)[1:]) for folder, text in commands]
        reader = CommandReader(checkout=str(root), tables=tables_with((), own=own))
        collector = Collector(
            files=Files.of({*FILES, *conftests, *settings, "other.ini"}),
            checkout=str(root),
            settings="pytest.ini",
            conftests=collect_ignores(conftests.get, conftests),
        )
        differences = []
        for (folder, text), (status, ids) in zip(commands, collected(root, words), strict=True):
            reading = reader.read([f"pytest {text}"], working_dir=folder)
            [run] = map(collector.settled, reading.runs)
            difference = compare(run, collector.collect(run), status, ids)
            if difference:
                differences.append(f"{conftests} {addopts} {nested} in {folder!r}: pytest {text}: {difference}")
        assert not differences, "\n".join(differences)
