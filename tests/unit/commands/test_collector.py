"""The collection model beyond what the comparison with pytest covers: what is missing, ids, roots, the inventory."""

import pytest

from pipegen.commands.collecting.collect_ignores import CollectIgnores
from pipegen.commands.collecting.collector import Collected, Collection, Collector
from pipegen.commands.collecting.files import NOT_ENTERED, Files, below, test_files
from pipegen.commands.collecting.pytest_settings import PYTHON_FILES, PytestSettings
from pipegen.commands.reader import CommandReader, tables_with
from pipegen.commands.reading import Globbed, Named, Searched
from pipegen.model import TestSettings

FILES = Files.of(
    [
        *("pyproject.toml", "t/test_a.py", "t/test_b.py", "t/c_test.py", "t/fixtures/test_f.py", "lib/test_l.py"),
        *("t/sub/pytest.ini", "t/sub/test_c.py", "t/sub/more/test_d.py", "t/subway/test_e.py", "t/sub-x/test_f.py"),
        "t/sub.py",
    ]
)

INI = "pytest.ini"


def collect(
    command: str,
    working_dir: str = "t",
    *,
    names: tuple[str, ...] = PYTHON_FILES,
    testpaths: tuple[str, ...] = (),
    not_entered: tuple[str, ...] = NOT_ENTERED,
    addopts: tuple[str, ...] = (),
    conftests: CollectIgnores | None = None,
) -> Collection:
    tables = tables_with((), own=PytestSettings(addopts=addopts, path=INI))
    [run] = CommandReader(checkout="/ws", tables=tables).read([command], working_dir=working_dir).runs
    collector = Collector(
        files=FILES,
        checkout="/ws",
        names=names,
        testpaths=testpaths,
        not_entered=not_entered,
        conftests=conftests or CollectIgnores(),
        settings=INI if addopts else None,
    )
    return collector.collect(collector.settled(run))


class TestFiles:
    def test_a_folder_is_one_slice(self) -> None:
        start, end = below(FILES.paths, "t/sub")
        assert FILES.paths[start:end] == ("t/sub/more/test_d.py", "t/sub/pytest.ini", "t/sub/test_c.py")

    def test_the_root_is_everything(self) -> None:
        assert below(FILES.paths, "") == (0, len(FILES.paths))

    def test_no_file_is_no_slice(self) -> None:
        start, end = below(FILES.paths, "t/none")
        assert start == end

    def test_folders(self) -> None:
        assert {"", "t", "t/sub", "t/sub/more", "lib"} <= FILES.folders
        assert FILES.exists("t/sub")
        assert FILES.exists("t/sub.py")
        assert not FILES.exists("t/su")

    def test_order_and_repetition_do_not_matter(self) -> None:
        assert Files.of(["b", "a/c", "b"]) == Files.of(["a/c", "b"])


class TestInventory:
    @pytest.mark.parametrize(
        ("roots", "names", "ignore", "expected"),
        [
            (("lib/",), ("test_*.py",), (), {"lib/test_l.py"}),
            (("lib", "lib/"), ("test_*.py",), (), {"lib/test_l.py"}),
            (("t/sub/",), ("test_*.py",), (), {"t/sub/test_c.py", "t/sub/more/test_d.py"}),
            (("t/sub/",), ("test_*.py",), ("**/more/",), {"t/sub/test_c.py"}),
            (("t/",), ("*_test.py",), (), {"t/c_test.py"}),
            (("./",), ("test_[ab].py",), ("t/test_b.py",), {"t/test_a.py"}),
            (("none/",), ("*",), (), set()),
        ],
    )
    def test_it(
        self, roots: tuple[str, ...], names: tuple[str, ...], ignore: tuple[str, ...], expected: set[str]
    ) -> None:
        settings = TestSettings(
            roots=roots,
            files=names,
            ignore=ignore,
            checkout="/ws",
            working_dir="/ws",
            pytest=("pytest",),
            shards={},
            shards_everywhere=None,
        )
        assert set(test_files(FILES, settings)) == expected


class TestCollected:
    def test_ids_of_a_file(self) -> None:
        found = collect("pytest test_a.py::test_one test_a.py::TestA::test_two[x-y] test_b.py")
        assert found.files == (
            Collected(path="t/test_a.py", nodes=("TestA::test_two[x-y]", "test_one")),
            Collected(path="t/test_b.py"),
        )

    def test_a_whole_file_contains_its_ids(self) -> None:
        assert collect("pytest test_a.py::test_one test_a.py").files == (Collected(path="t/test_a.py"),)

    def test_a_folder_contains_its_files(self) -> None:
        assert Collected(path="t/test_a.py") in collect("pytest test_a.py::test_one .").files

    def test_what_is_deselected_in_a_file(self) -> None:
        found = collect("pytest test_a.py test_b.py --deselect t/test_a.py::test_x --deselect t/test_b")
        assert found.files == (Collected(path="t/test_a.py", without=("test_x",)),)

    def test_ids_that_are_deselected(self) -> None:
        found = collect("pytest test_a.py::test_x test_a.py::test_y --deselect t/test_a.py::test_x")
        assert found.files == (Collected(path="t/test_a.py", nodes=("test_y",), without=("test_x",)),)
        assert collect("pytest test_a.py::test_x --deselect t/test_a.py::test_x").files == ()

    def test_ids_count_from_the_root_directory(self) -> None:
        """A folder with a `pytest.ini` of its own is the root directory of what lies in it."""
        assert collect("pytest sub --deselect sub/test_c.py").paths == ("t/sub/more/test_d.py", "t/sub/test_c.py")
        assert collect("pytest sub --deselect test_c.py").paths == ("t/sub/more/test_d.py",)
        assert collect("pytest sub --rootdir=/ws --deselect t/sub/test_c.py").paths == ("t/sub/more/test_d.py",)
        assert "t/sub/test_c.py" not in collect("pytest sub subway --deselect t/sub/test_c.py").paths


class TestMissing:
    @pytest.mark.parametrize(
        "path",
        ["gone", "gone.py", "sub.py/x", "test_a.p", "sub::test_x", "'test_[ab].py'", "pytest.ini", "sub/pytest.ini"],
    )
    def test_a_path(self, path: str) -> None:
        [missing] = collect(f"pytest test_a.py {path}").missing
        assert isinstance(missing, Named)
        assert missing.written == path.strip("'")

    def test_a_glob(self) -> None:
        [missing] = collect("pytest test_a.py gone_*.py").missing
        assert isinstance(missing, Globbed)

    def test_a_search(self) -> None:
        [missing] = collect("pytest $(find . -name gone)").missing
        assert isinstance(missing, Searched)

    @pytest.mark.parametrize(
        ("option", "absent"),
        [
            ("--ignore=sub", False),
            ("--ignore=sub/test_c.py", False),
            ("--ignore=gone", True),
            ("--ignore=su", True),
            ("--ignore-glob='sub*'", False),
            ("--ignore-glob='gone*'", True),
            ("--deselect=t/test_a.py", False),
            ("--deselect=t/test_a.py::test_one", False),
            ("--deselect=t/sub", False),
            ("--deselect=t/test_", False),
            ("--deselect=test_a.py", True),
            ("--deselect=t/gone.py::test_one", True),
            ("--deselect=t/test_a::test_one", True),
        ],
    )
    def test_what_is_left_out(self, option: str, *, absent: bool) -> None:
        found = collect(f"pytest test_a.py test_b.py sub {option}")
        assert found.missing == ()
        assert len(found.absent) == absent


class TestWithoutPaths:
    def test_it_is_the_folder(self) -> None:
        assert collect("pytest", "lib").paths == ("lib/test_l.py",)

    def test_testpaths_count_in_the_root_directory(self) -> None:
        assert collect("pytest", "", testpaths=("lib", "gone")).paths == ("lib/test_l.py",)
        assert "t/test_a.py" in collect("pytest", "", testpaths=("gone",)).paths
        assert collect("pytest", "lib", testpaths=("t",)).paths == ("lib/test_l.py",)
        assert collect("pytest -o testpaths=lib", "").paths == ("lib/test_l.py",)

    def test_names(self) -> None:
        assert collect("pytest", "t", names=("*_test.py",)).paths == ("t/c_test.py",)

    def test_folders_that_are_not_entered(self) -> None:
        found = collect("pytest", "t", not_entered=("sub*", "fix*"))
        assert found.paths == ("t/c_test.py", "t/test_a.py", "t/test_b.py")


class TestOwnSettings:
    def test_a_conftest(self) -> None:
        ignores = CollectIgnores(paths={"": frozenset({"t/sub", "t/test_a.py"})})
        found = collect("pytest sub test_a.py", conftests=ignores)
        assert {"t/sub/test_c.py", "t/test_a.py"} <= {*found.paths}
        found = collect("pytest", conftests=ignores)
        assert not {"t/sub/test_c.py", "t/test_a.py"} & {*found.paths}
        assert found.left_out == (
            ("t/sub/more/test_d.py", "conftest.py"),
            ("t/sub/test_c.py", "conftest.py"),
            ("t/test_a.py", "conftest.py"),
        )

    def test_addopts(self) -> None:
        found = collect(
            "pytest --ignore=sub", addopts=("--ignore=test_a.py", "--ignore-glob=*subway*", "--ignore=gone")
        )
        assert not {"t/test_a.py", "t/subway/test_e.py", "t/sub/test_c.py"} & {*found.paths}
        assert found.left_out == (("t/subway/test_e.py", INI), ("t/test_a.py", INI))
        assert found.absent == ()

    def test_a_command_that_leaves_it_out_as_well(self) -> None:
        found = collect("pytest --ignore=test_a.py", addopts=("--ignore=test_a.py",))
        assert ("t/test_a.py" in found.paths, found.left_out) == (False, ())

    @pytest.mark.parametrize(
        "command",
        ["pytest -o addopts=", "pytest -oaddopts=-v", "pytest --override-ini addopts=-v", "pytest -o 'addopts = -v'"],
    )
    def test_a_command_that_says_others(self, command: str) -> None:
        assert "t/test_a.py" in collect(command, addopts=("--ignore=test_a.py",)).paths

    def test_the_command_has_the_last_word(self) -> None:
        tables = tables_with((), own=PytestSettings(addopts=("-m", "not slow", "-k", "one")))
        [run] = CommandReader(checkout="/ws", tables=tables).read(["pytest t -m gpu"]).runs
        assert (run.m and run.m.text, run.k and run.k.text) == ("gpu", "one")

    @pytest.mark.parametrize("command", ['PYTEST_ADDOPTS="\'" pytest', 'pytest -o addopts="\'"'])
    def test_options_that_pytest_refuses(self, command: str) -> None:
        assert "t/test_a.py" in collect(command).paths

    def test_patterns_of_both(self) -> None:
        found = collect("pytest --ignore-glob='*/gone.py'", addopts=("--ignore-glob=*subway*",))
        assert found.left_out == (("t/subway/test_e.py", INI),)
        found = collect("pytest --ignore-glob='*test_e*'", addopts=("--ignore-glob=*subway*",))
        assert ("t/subway/test_e.py" in found.paths, found.left_out) == (False, ())

    def test_what_the_command_says_of_settings_is_the_commands(self) -> None:
        found = collect("pytest -o addopts='--ignore=test_a.py --ignore=gone'", addopts=("--ignore=test_b.py",))
        assert ("t/test_a.py" in found.paths, "t/test_b.py" in found.paths, found.left_out) == (False, True, ())
        assert [spot.written for spot in found.absent] == ["gone"]

    @pytest.mark.parametrize("option", ["-c other.ini", "-cother.ini", "--config-file=other.ini"])
    def test_settings_of_another_file(self, option: str) -> None:
        assert "t/test_a.py" in collect(f"pytest {option}", addopts=("--ignore=test_a.py",)).paths

    def test_settings_of_a_folder_of_its_own(self) -> None:
        addopts = ("--ignore=/ws/t/sub/test_c.py", "--ignore-glob=*/test_c.py", "--deselect=t/sub/test_c.py")
        assert "t/sub/test_c.py" in collect("pytest sub", addopts=addopts).paths
        assert "t/sub/test_c.py" not in collect("pytest", addopts=addopts).paths

    def test_marks_of_another_file(self) -> None:
        tables = tables_with((), own=PytestSettings(addopts=("-m", "not slow"), path=INI))
        reader = CommandReader(checkout="/ws", tables=tables)
        collector = Collector(files=FILES, checkout="/ws", settings=INI)
        runs = [collector.settled(run) for run in reader.read(["pytest t", "pytest t/sub", "pytest t/sub -k a"]).runs]
        assert [(run.k is None, run.m is None) for run in runs] == [(True, False), (True, True), (False, True)]

    @pytest.mark.parametrize(
        ("option", "runs"),
        [
            ("--noconftest", True),
            ("--confcutdir=.", True),
            ("--confcutdir /ws/t", True),
            ("--confcutdir=..", False),
            ("--confcutdir=/", False),
        ],
    )
    def test_conftests_that_are_not_loaded(self, option: str, runs: bool) -> None:
        ignores = CollectIgnores(paths={"": frozenset({"t/test_a.py"})})
        assert ("t/test_a.py" in collect(f"pytest {option}", conftests=ignores).paths) == runs

    def test_a_doubt_is_shown_where_it_stands(self) -> None:
        tables = tables_with((), own=PytestSettings(addopts=("--odd", "x"), path=INI))
        reading = CommandReader(checkout="/ws", tables=tables).read(["pytest t", "pytest --odd y"])
        assert [one.configured for one in reading.unread] == [INI, INI, None]
