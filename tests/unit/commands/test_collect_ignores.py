"""What conftest files keep from being collected."""

import pytest

from pipegen.commands.collecting.collect_ignores import CollectIgnores, collect_ignores


def read(**texts: str) -> CollectIgnores:
    """The ignores of conftest files, by the folder that each is in (`top` is the repository's root)."""
    files = {("" if folder == "top" else f"{folder}/") + "conftest.py": text for folder, text in texts.items()}
    return collect_ignores(files.get, [*files, "t/test_a.py"])


@pytest.mark.parametrize(
    ("text", "ignored"),
    [
        ('collect_ignore = ["test_a.py", "sub"]\n', ["t/sub", "t/test_a.py"]),
        ('collect_ignore = ("test_a.py",)\n', ["t/test_a.py"]),
        ('collect_ignore: list[str] = ["./sub/../test_a.py"]\n', ["t/test_a.py"]),
        ('collect_ignore = []\ncollect_ignore += ["test_a.py"]\n', ["t/test_a.py"]),
        (
            'collect_ignore = ["x"]\ncollect_ignore.append("sub")\ncollect_ignore.extend(["y"])\n',
            ["t/sub", "t/x", "t/y"],
        ),
        ('collect_ignore = ["x"]\ncollect_ignore = ["y"]\n', ["t/y"]),
        ('collect_ignore = ["../u/test_b.py"]\n', ["u/test_b.py"]),
        ('collect_ignore = ["x", "y"]\ncollect_ignore.remove("y")\n', []),
        ('collect_ignore = ["x"]\ncollect_ignore.count("y")\ncollect_ignore.append("z")\n', ["t/x", "t/z"]),
        ('collect_ignore = ["x"]\nif A:\n    collect_ignore = []\n', []),
        ('collect_ignore = ["x"]\nif A:\n    collect_ignore += ["y"]\n', ["t/x"]),
        ('collect_ignore = ["x"]\ndel collect_ignore[0]\n', []),
        ('collect_ignore = ["x"]\ncollect_ignore[0] = "y"\n', []),
        ('collect_ignore = ["x"]\ncollect_ignore -= ["x"]\n', []),
        ('collect_ignore = ["x"]\nfor collect_ignore in (): pass\n', []),
        ('collect_ignore = ["x"]\ndef f():\n    collect_ignore.append("y")\n', ["t/x"]),
        ('collect_ignore = [os.path.join("a", "b"), "x"]\n', ["t/x"]),
        ('import sys\ncollect_ignore = ["x"]\nif sys.platform == "win32":\n    collect_ignore.append("y")\n', ["t/x"]),
    ],
)
def test_lists(text: str, ignored: list[str]) -> None:
    assert sorted(read(t=text).paths["t"]) == ignored


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# collect_ignore\n",
        "def f():\n    collect_ignore = ['x']\n",
        "if True:\n    collect_ignore = ['x']\n",
        "collect_ignore += ['x']\n",
        "collect_ignore.append('x')\n",
        "collect_ignore = [\n",
        "collect_ignore\x00",
        "other = ['x']  # no collect_ignore\n",
    ],
)
def test_what_is_no_list_at_the_top(text: str) -> None:
    assert not read(t=text)


@pytest.mark.parametrize("value", ["find()", "'x'", "[1, None]"])
def test_what_is_no_list_of_texts_ignores_nothing(value: str) -> None:
    assert read(t=f"collect_ignore = {value}\n").paths == {"t": frozenset()}


def test_only_the_nearest_counts() -> None:
    found = read(top='collect_ignore = ["t/sub", "u/x"]\n', t='collect_ignore = ["test_a.py"]\n')
    assert [found.by(path) for path in ("t/test_a.py", "t/sub", "u/x", "t")] == [
        "t/conftest.py",
        None,
        "conftest.py",
        None,
    ]


def test_the_two_names_are_apart() -> None:
    found = read(top='collect_ignore = ["t/test_a.py"]\n', t='collect_ignore_glob = ["*_b.py"]\n')
    assert [found.by(path) for path in ("t/test_a.py", "t/test_b.py", "t/sub/test_b.py", "test_b.py")] == [
        "conftest.py",
        "t/conftest.py",
        "t/conftest.py",
        None,
    ]


def test_patterns_are_paths_too() -> None:
    found = read(t='collect_ignore_glob = ["./test_*.py", "../u/*"]\n')
    assert [found.by(path) for path in ("t/test_a.py", "t/a_test.py")] == ["t/conftest.py", None]


def test_those_above_the_top_are_not_loaded() -> None:
    found = read(top='collect_ignore = ["t/test_a.py"]\n', u='collect_ignore = ["test_b.py"]\n')
    assert [found.by("t/test_a.py", top) for top in ("", "t", "t/sub", "u")] == ["conftest.py", None, None, None]
    assert [found.by("u/test_b.py", top) for top in ("", "t", "u", "u/v")] == ["u/conftest.py"] * 3 + [None]
