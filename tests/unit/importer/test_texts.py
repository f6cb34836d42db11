"""Dollars, braces and titles of step files in the new language."""

import pytest

from pipegen.diagnostics import Span
from pipegen.importer.texts import Texts, banner, literal, title_of
from pipegen.manifest.located import Report

PLACE = Span(path="steps.yaml", line=3, column=5)
NAMES = {"REGISTRY": "{{ vars.REGISTRY }}", "BUILDKITE_COMMIT": "$BUILDKITE_COMMIT"}


def _texts() -> Texts:
    return Texts(substitution=NAMES, report=Report())


@pytest.mark.parametrize(
    ("written", "command", "value"),
    [
        ("plain", "plain", "plain"),
        ("$REGISTRY/x", "{{ vars.REGISTRY }}/x", "{{ upload.REGISTRY }}/x"),
        ("$REGISTRY_2", "{{ upload.REGISTRY_2 }}", "{{ upload.REGISTRY_2 }}"),
        ("$BUILDKITE_COMMIT", "$BUILDKITE_COMMIT", "{{ upload.BUILDKITE_COMMIT }}"),
        ("$$HOME and \\$HOME", "$HOME and $HOME", "$HOME and $HOME"),
        ("$HOME", "{{ upload.HOME }}", "{{ upload.HOME }}"),
        ("${HOME}x", "{{ upload.HOME }}x", "{{ upload.HOME }}x"),
        ("$(date) $1 $? $_x", "$(date) $1 $? $_x", "$(date) $1 $? $_x"),
        ("a\\\\$$b", "a\\\\$b", "a\\\\$b"),
        ("{{.Id}}", "{{ '{{' }}.Id}}", "{{ '{{' }}.Id}}"),
        ("{{matrix}}", "{{matrix}}", "{{matrix}}"),
    ],
)
def test_who_replaces_a_name(written: str, command: str, value: str) -> None:
    texts = _texts()
    assert texts.command(written, PLACE) == command
    assert texts.value(written, PLACE) == value
    assert texts.report.found == []


@pytest.mark.parametrize("written", ["${A:-b}", "${A%x}", "${#A}", "${A[@]}"])
def test_what_the_upload_alone_can_do_is_reported(written: str) -> None:
    texts = _texts()
    texts.command(f"run {written}", PLACE)
    (found,) = texts.report.found
    assert (found.code.code, found.span) == ("PG909", PLACE)
    assert found.message.startswith(f'"{written[:4]}' if written != "${#A}" else '"${')


def test_a_banner_is_the_first_eighty_characters_without_what_could_end_it() -> None:
    assert banner("pytest -k \"a\" $$B 'c'") == "pytest -k a B c"
    assert len(banner("x" * 200)) == 80


def test_a_title_is_written_where_the_translation_shows_another() -> None:
    assert title_of("run $$A", "run $A") is None
    assert title_of("run $REGISTRY", "run {{ vars.REGISTRY }}") == "run REGISTRY"
    long = "x" * 74 + " $$ABCDEF"
    assert title_of(long, long.replace("$$", "$")) == "x" * 74 + " ABC"


def test_braces_are_text() -> None:
    assert literal("{{ a }} {{matrix.b}}") == "{{ '{{' }} a }} {{matrix.b}}"
