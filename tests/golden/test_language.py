"""Every sentence of the design that states a rule of the language, and the pipeline that follows from it.

A case is a folder: the files that it lays over the workspace in language_base, `expected.yaml` (what
`generate` prints) and `expected.txt` (the place and the kind of every diagnostic; their words have goldens of their
own), each where there is any. README.md beside the cases says which sentence each of them shows.
"""

import re
from pathlib import Path

import pytest

from tests.support.golden import Golden
from tests.support.language import CASES, generated, names

INDEX = CASES / "README.md"
ROW = re.compile(r"^\| (?P<sentence>[^|]+) \| (?P<cases>[^|]+) \|$", re.MULTILINE)
HEADLINE = re.compile(r"^(\S+:\d+:\d+ PG\d\d\d) (finding: |warning: )?.* (\[[a-z0-9-]+\])$", re.MULTILINE)
REFUSED = "pipegen made no pipeline"


@pytest.mark.parametrize("name", names())
def test_case(name: str, tmp_path: Path, golden: Golden) -> None:
    ran = generated(name, tmp_path)
    document, words = CASES / name / "expected.yaml", CASES / name / "expected.txt"
    assert (ran.status, ran.stdout.startswith(REFUSED)) in ((0, False), (1, True)), ran
    if ran.status == 0:
        golden.check(document, ran.stdout)
    headlines = HEADLINE.findall(ran.stderr)
    found = "".join(f"{at} {kind.rstrip(': ') or 'error'} {name}\n" for at, kind, name in headlines)
    assert bool(found) == bool(ran.stderr)
    if found:
        golden.check(words, found)
    assert document.exists() == (ran.status == 0)
    assert words.exists() == bool(found)


def rows() -> list[tuple[str, list[str]]]:
    found = ROW.findall(INDEX.read_text(encoding="utf-8"))
    return [(sentence.strip(), re.findall(r"`([^`]+)`", cases)) for sentence, cases in found]


def test_every_case_is_in_the_index() -> None:
    indexed = {case for _, cases in rows() for case in cases if "/" not in case}
    assert indexed == set(names())


def test_every_sentence_has_a_case_or_says_where_it_is_shown() -> None:
    bare = [sentence for sentence, cases in rows() if sentence not in ("sentence", "---") and not cases]
    assert bare == []


def test_what_the_index_names_elsewhere_is_there() -> None:
    elsewhere = {place for _, cases in rows() for place in cases if "/" in place}
    assert [place for place in sorted(elsewhere) if not (CASES.parents[2] / place.split("::")[0]).exists()] == []
