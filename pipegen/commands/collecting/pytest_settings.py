"""What a repository's own settings tell pytest about collecting: names of tests, folders, options.

The parsers are imported where a file needs one: many repositories have one file of these, a listing has none.
"""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from pipegen.commands.collecting.files import NOT_ENTERED
from pipegen.dataclass import dataclass

PYTHON_FILES: Final = ("test_*.py", "*_test.py")
"""What pytest takes for test files where nothing says otherwise."""

_Section: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class PytestSettings:
    """`python_files`, `norecursedirs`, `testpaths` and `addopts`, as pytest reads them, and the file with them."""

    python_files: tuple[str, ...] = PYTHON_FILES
    norecursedirs: tuple[str, ...] = NOT_ENTERED
    testpaths: tuple[str, ...] = ()
    addopts: tuple[str, ...] = ()
    path: str | None = None


def pytest_settings(content: Callable[[str], str | None], folders: Iterable[str]) -> PytestSettings | None:
    """The settings of the first of these folders that has any, in pytest's own order of files.

    None where they cannot be read: then nobody knows what pytest collects. Without any its defaults hold.
    """
    try:
        path, section = next(_sections(content, folders), (None, {}))
        return PytestSettings(
            python_files=_words(section.get("python_files")) or PYTHON_FILES,
            norecursedirs=_words(section.get("norecursedirs")) or NOT_ENTERED,
            testpaths=_words(section.get("testpaths")),
            addopts=_words(section.get("addopts")),
            path=path,
        )
    except ValueError:
        return None


def _sections(content: Callable[[str], str | None], folders: Iterable[str]) -> Iterator[tuple[str, _Section]]:
    """Files with their settings, the one that pytest takes first: its own files count even where they say nothing."""
    for folder in folders:
        for name, section_of in _FILES:
            path = posixpath.join(folder, name)
            text = content(path)
            section = None if text is None else section_of(text)
            if section is not None:
                yield path, section


def _own_toml(text: str) -> _Section | None:
    return _table(_toml(text), "pytest")


def _own_ini(text: str) -> _Section | None:
    return _ini(text).get("pytest", {})


def _project(text: str) -> _Section | None:
    tool = _table(_toml(text), "tool")
    whole = _table(tool, "pytest")
    return None if "pytest" not in tool else _table(whole, "ini_options") if "ini_options" in whole else whole


def _tox(text: str) -> _Section | None:
    return _ini(text).get("pytest")


def _setup(text: str) -> _Section | None:
    return _ini(text).get("tool:pytest")


_FILES: Final[tuple[tuple[str, Callable[[str], _Section | None]], ...]] = (
    ("pytest.toml", _own_toml),
    (".pytest.toml", _own_toml),
    ("pytest.ini", _own_ini),
    (".pytest.ini", _own_ini),
    ("pyproject.toml", _project),
    ("tox.ini", _tox),
    ("setup.cfg", _setup),
)
"""In pytest's order, with what each says of it."""


def _table(table: _Section, name: str) -> _Section:
    found = table.get(name, {})
    return found if isinstance(found, dict) else {}


def _toml(text: str) -> _Section:
    import tomllib  # noqa: PLC0415

    return tomllib.loads(text)


def _ini(text: str) -> Mapping[str, _Section]:
    import configparser  # noqa: PLC0415

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise ValueError(str(error)) from error
    return {name: dict(parser[name]) for name in parser.sections()}


def _words(value: object) -> tuple[str, ...]:
    """A list, or words as a shell would split them."""
    if isinstance(value, list):
        return tuple(str(item) for item in value)
    if not isinstance(value, str):
        return ()
    import shlex  # noqa: PLC0415

    return tuple(shlex.split(value))
