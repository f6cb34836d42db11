"""pytest's command line: the option tables and their reading, against pytest's own parser."""

from collections.abc import Iterable
from functools import cache

import pytest
from _pytest.config import get_config
from hypothesis import given, settings
from hypothesis import strategies as st

from pipegen.commands.programs.known_pytest import PYTEST
from pipegen.commands.programs.pytest_arguments import Argument, arguments
from pipegen.commands.running.values import Field, known, plain

PLUGINS = ("xdist.plugin", "pytest_timeout")


@cache
def parser() -> pytest.Parser:
    """pytest's own parser, with the options of its own plugins and of two others."""
    config = get_config([])
    for plugin in PLUGINS:
        config.pluginmanager.import_plugin(plugin)
    return config._parser


def options_of(parser: pytest.Parser, *, arity: object) -> set[str]:
    """Options by how many values they take: 0, None for one, "?" for one or none."""
    actions = parser.optparser._actions
    return {name for action in actions for name in action.option_strings if action.nargs == arity}


class TestTable:
    def test_flags(self) -> None:
        assert options_of(parser(), arity=0) <= PYTEST.flags

    def test_options_with_a_value(self) -> None:
        assert options_of(parser(), arity=None) <= PYTEST.valued

    def test_options_with_a_value_or_none(self) -> None:
        assert options_of(parser(), arity="?") <= PYTEST.optional

    def test_every_option_of_pytest_is_in_one_of_them(self) -> None:
        every = {name for action in parser().optparser._actions for name in action.option_strings}
        assert every <= PYTEST.flags | PYTEST.valued | PYTEST.optional

    def test_no_option_is_of_two_kinds(self) -> None:
        assert not PYTEST.flags & PYTEST.valued
        assert not (PYTEST.flags | PYTEST.valued) & PYTEST.optional

    def test_what_shards_and_what_lists_are_options(self) -> None:
        assert PYTEST.shards <= PYTEST.valued
        assert PYTEST.lists <= PYTEST.flags | PYTEST.optional


PATH = st.sampled_from(["t", "t/a.py", "t/a.py::x[1]", "x=y", "not x"])
WORDS = st.one_of(
    PATH.map(lambda path: [path]),
    st.sampled_from(["-v", "-vvs", "-x", "--lf", "--co", "--pyargs", "-q", "-sxv"]).map(lambda flag: [flag]),
    st.tuples(st.sampled_from(["-k", "-m", "-o", "-p", "-W", "-c", "-r"]), PATH).map(list),
    st.tuples(st.sampled_from(["-k", "-m", "-W"]), PATH).map(lambda two: ["".join(two)]),
    st.tuples(st.sampled_from(["-k", "-m", "-W"]), PATH).map(lambda two: ["=".join(two)]),
    st.tuples(st.sampled_from(["-vk", "-xsm"]), PATH).map(list),
    st.tuples(
        st.sampled_from(["--ignore", "--ignore-glob", "--deselect", "--basetemp", "--rootdir", "--junitxml"]),
        PATH.filter(lambda path: path != "not x"),
        st.booleans(),
    ).map(lambda drawn: [f"{drawn[0]}={drawn[1]}"] if drawn[2] else [drawn[0], drawn[1]]),
)


def read(words: Iterable[str]) -> list[Argument]:
    """The words as the reader tells them apart; none of them is in doubt."""
    fields: tuple[Field, ...] = tuple(plain(word, 0) for word in words)
    found = list(arguments(fields, PYTEST))
    read = [argument for argument in found if isinstance(argument, Argument)]
    assert read == found
    return read


def values(found: Iterable[Argument], *names: str) -> list[str | None]:
    return [known(argument.value or ()) for argument in found if argument.option in names]


class TestArguments:
    @settings(max_examples=300)
    @given(chosen=st.lists(WORDS, max_size=7))
    def test_they_are_told_apart_as_pytest_does(self, chosen: list[list[str]]) -> None:
        words = [word for one in chosen for word in one]
        real = parser().parse_known_args(words)
        found = read(words)
        assert values(found, "") == real.file_or_dir
        assert (values(found, "-k") or [""])[-1] == real.keyword
        assert (values(found, "-m") or [""])[-1] == real.markexpr
        assert values(found, "--ignore") == (real.ignore or [])
        assert values(found, "--ignore-glob") == (real.ignore_glob or [])
        assert values(found, "--deselect") == (real.deselect or [])
        assert values(found, "-o", "--override-ini") == (real.override_ini or [])
        assert (values(found, "--rootdir") or [None])[-1] == real.rootdir

    def test_what_stands_behind_two_dashes_is_a_path(self) -> None:
        assert values(read(["-v", "--", "-k", "t"]), "") == ["-k", "t"]
