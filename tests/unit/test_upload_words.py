"""What the agent says and what attempts leave for each other, read."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipegen.plain import PlainMap
from pipegen.upload import answers
from pipegen.upload.batches import Batch
from pipegen.upload.record import (
    Note,
    Part,
    RecordError,
    Sealed,
    decode,
    decode_note,
    digest_of,
    marked,
    name_of,
    note_key,
)


@pytest.mark.parametrize(
    ("output", "version"),
    [
        ("buildkite-agent version 3.137.0+x..dirty\n", "3.137.0"),
        ("buildkite-agent version 4.0.0-beta.15, build 12345\n", "4.0.0"),
        ("version v2.6.10", "2.6.10"),
        ("usage: something else\n", "None"),
        ("", "None"),
    ],
)
def test_versions(output: str, version: str) -> None:
    assert str(answers.version_of(output)) == version


USED = 'The key "a" has already been used by another step in this build'
POLLED = "2026-11-30 17:29:45 ERROR  Couldn't upload: failed to upload and process pipeline: "
AT_ONCE = "2026-11-30 17:29:45 ERROR  Couldn't upload: failed to upload and accept pipeline: POST http://x/v3/jobs/y: "


@pytest.mark.parametrize(
    ("complaint", "refusal"),
    [
        (f"INFO  Reading\n{POLLED}pipeline upload rejected: {USED}\n", USED),
        (f"{AT_ONCE}422 Unprocessable Entity: {USED}\n", USED),
        (f"{POLLED}pipeline upload not yet applied: processing\n", None),
        (f"{AT_ONCE}401 Unauthorized: no\n", None),
        ("", None),
    ],
)
def test_refusals(complaint: str, refusal: str | None) -> None:
    assert answers.refusal_of(complaint) == refusal


@pytest.mark.parametrize(("refusal", "key"), [(USED, "a"), ("There must be at least 1 step in a group", None)])
def test_used_keys(refusal: str, key: str | None) -> None:
    assert answers.used_key_of(refusal) == key


@pytest.mark.parametrize(
    ("complaint", "words"),
    [
        ("2026-11-30 17:29:45 WARN   once\n2026-11-30 17:29:46 ERROR  Couldn't do it: no\n", "Couldn't do it: no"),
        ("buildkite-agent: fatal: parsed with warnings:\n  while a\n    ↳ b\n", "parsed with warnings: while a ↳ b"),
        ("something odd\n", "something odd"),
        ("", ""),
    ],
)
def test_last_words(complaint: str, words: str) -> None:
    assert answers.last_words(complaint) == words


def test_troubles_are_warnings_and_errors() -> None:
    complaint = "2026-11-30 17:29:45 INFO   fine\n2026-11-30 17:29:46 WARN   500 (Attempt 1/60 Retrying in 5s)\n"
    assert answers.troubles(complaint) == ("500 (Attempt 1/60 Retrying in 5s)",)


PARTS = st.builds(Part, marker=st.text(), jobs=st.integers(1, 500), document=st.text())
SEALED = st.builds(
    Sealed,
    plan=st.dictionaries(st.text(), st.text()),
    style=st.sampled_from(["info", "warning"]),
    summary=st.text(),
    parts=st.lists(PARTS, max_size=3).map(tuple),
)


@given(SEALED)
@settings(max_examples=50)
def test_what_is_kept_is_read_back(sealed: Sealed) -> None:
    assert decode(sealed.encode()) == sealed
    assert sealed.encode() == sealed.encode()


@given(st.builds(Note, digest=st.text(), jobs=st.lists(st.integers()).map(tuple), interpolation=st.booleans()))
@settings(max_examples=25)
def test_notes_are_read_back(note: Note) -> None:
    assert decode_note(note.encode()) == note


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is not JSON"),
        ("[]", "is not of format 1"),
        ('{"format": 2}', "is not of format 1"),
        ('{"format": 1}', "lacks 'jobs'"),
        ('{"format": 1, "digest": "a", "jobs": 3}', "holds something else"),
        ('{"format": 1, "digest": "a", "jobs": ["x"]}', "holds something else"),
        ('{"format": 1, "digest": "a", "jobs": [1e999]}', "holds something else"),
        pytest.param("[" * 100_000, "is not JSON", id="deep"),
    ],
)
def test_what_is_no_note(text: str, complaint: str) -> None:
    with pytest.raises(RecordError, match=complaint):
        decode_note(text)


@pytest.mark.parametrize("content", [b"\xff", b"{}", b'{"format": 1, "annotation": {}, "plan": {}, "uploads": [{}]}'])
def test_what_is_no_plan(content: bytes) -> None:
    with pytest.raises(RecordError):
        decode(content)


def test_markers_name_the_whole_and_the_part() -> None:
    def group(key: str) -> PlainMap:
        return {"group": "A", "steps": [{"key": key}]}

    def batch(key: str) -> Batch:
        return Batch(groups=(group(key), group(key)), jobs=4)

    (first, one), (second, two) = marked([batch("a"), batch("b")])
    assert (first[:-1], first[-1], second[-1]) == (second[:-1], "1", "2")
    assert one == {
        "steps": [{"group": "A", "key": first, "steps": [{"key": "a"}]}, {"group": "A", "steps": [{"key": "a"}]}]
    }
    assert json.dumps(two).count(second) == 1
    assert marked([batch("a"), batch("c")])[0][0] != first


def test_names() -> None:
    digest = digest_of(b"")
    assert name_of(digest) == "pipegen/plan-e3b0c44298fc.json"
    assert note_key({"step": "a", "every": True}) == note_key({"every": True, "step": "a"})
    assert note_key({"step": "a"}) != note_key({"step": "b"})
    assert note_key({}).startswith("pipegen:upload:")
