"""The list of codes: stable, complete, and each of them produced by something."""

import re
from collections import Counter

import pipegen.codes
from pipegen.diagnostics import Code, Severity
from pipegen.validate import codes
from tests.unit.validate.tables.graph import GRAPHS
from tests.unit.validate.test_tables import ALL


def test_all_codes_are_listed_and_numbered() -> None:
    defined = [value for value in vars(codes).values() if isinstance(value, Code)]
    assert list(codes.ALL_CODES) == defined
    numbers = {int(code.code.removeprefix("PG")) for code in defined}
    assert len(numbers) == len(defined)
    assert numbers == {*range(701, 750), *range(753, 763), 764}


def test_no_code_or_name_is_used_elsewhere() -> None:
    others = [value for value in vars(pipegen.codes).values() if isinstance(value, Code)]
    assert {code.code for code in others}.isdisjoint(code.code for code in codes.ALL_CODES)
    assert {code.name for code in others}.isdisjoint(code.name for code in codes.ALL_CODES)


def test_names_are_kebab_and_unique() -> None:
    names = Counter(code.name for code in codes.ALL_CODES)
    assert [name for name, count in names.items() if count > 1] == []
    assert [name for name in names if not re.fullmatch(r"[a-z]+(-[a-z]+)*", name)] == []


def test_summaries_are_one_sentence() -> None:
    for code in codes.ALL_CODES:
        assert re.fullmatch(r"[A-Z`].*[^.]\.", code.summary), code
        assert ". " not in code.summary, code
        assert len(code.summary) <= 110, code


def test_every_code_has_a_bad_case() -> None:
    produced = {case.code for case in ALL} | {code for graph in GRAPHS for code in graph.codes}
    assert [code.name for code in codes.ALL_CODES if code not in produced] == []


def test_nothing_here_is_a_mere_finding() -> None:
    assert {code.severity for code in codes.ALL_CODES} == {Severity.ERROR, Severity.WARNING}
