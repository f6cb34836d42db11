"""What tells one pipegen from another."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from pipegen.app import installed
from tests.support.workspaces import REPOSITORY


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A pipegen of the test's own."""
    package = tmp_path / "pipegen"
    (package / "app").mkdir(parents=True)
    (package / "app" / "linting.py").write_text("1\n", encoding="utf-8")
    shutil.copytree(REPOSITORY / "templates", tmp_path / "templates")
    monkeypatch.setattr(installed, "_PACKAGE", package)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site"), str(tmp_path / "nowhere")])
    (tmp_path / "site" / "jinja2-3.1.6.dist-info").mkdir(parents=True)
    return tmp_path


def test_nothing_changed(copy: Path) -> None:
    before = installed.fingerprint()
    (copy / "pipegen" / "app" / "__pycache__").mkdir()
    (copy / "pipegen" / "app" / "__pycache__" / "linting.pyc").write_bytes(b"")
    (copy / "site" / "notes.txt").write_bytes(b"")
    assert installed.fingerprint() == before


def test_another_module(copy: Path) -> None:
    before = installed.fingerprint()
    (copy / "pipegen" / "app" / "linting.py").write_text("23\n", encoding="utf-8")
    assert installed.fingerprint() != before


def test_one_more_module(copy: Path) -> None:
    before = installed.fingerprint()
    (copy / "pipegen" / "rules").mkdir()
    (copy / "pipegen" / "rules" / "more.py").write_bytes(b"")
    assert installed.fingerprint() != before


def test_another_template(copy: Path) -> None:
    before = installed.fingerprint()
    (copy / "templates" / "more.j2").write_bytes(b"")
    assert installed.fingerprint() != before


def test_what_is_behind_links(copy: Path) -> None:
    (copy / "elsewhere").mkdir()
    (copy / "elsewhere" / "more.py").write_bytes(b"")
    (copy / "pipegen" / "more").symlink_to("../elsewhere")
    (copy / "pipegen" / "round").symlink_to(".")
    (copy / "pipegen" / "gone.py").symlink_to("nowhere")
    before = installed.fingerprint()
    assert before is not None
    (copy / "elsewhere" / "more.py").write_bytes(b"1")
    assert installed.fingerprint() != before


def test_other_content_of_the_same_size_and_time(copy: Path) -> None:
    place = copy / "pipegen" / "app" / "linting.py"
    before, found = installed.fingerprint(), place.stat()
    place.write_text("2\n", encoding="utf-8")
    os.utime(place, ns=(found.st_atime_ns, found.st_mtime_ns))
    assert installed.fingerprint() != before


def test_templates_that_are_not_there(copy: Path) -> None:
    shutil.rmtree(copy / "templates")
    assert installed.fingerprint() is None


def test_a_library_in_front_of_what_is_installed(copy: Path) -> None:
    before = installed.fingerprint()
    (copy / "site" / "yaml.py").write_bytes(b"")
    assert installed.fingerprint() != before


@pytest.mark.parametrize(("name", "value"), [("warnoptions", ["error"]), ("get_int_max_str_digits", lambda: 0)])
def test_what_python_was_told(copy: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: object) -> None:
    assert copy.is_dir()
    before = installed.fingerprint()
    monkeypatch.setattr(sys, name, value)
    assert installed.fingerprint() != before


def test_another_library(copy: Path) -> None:
    before = installed.fingerprint()
    (copy / "site" / "jinja2-3.1.6.dist-info").rename(copy / "site" / "jinja2-3.1.7.dist-info")
    assert installed.fingerprint() != before


def test_another_python(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert copy.is_dir()
    before = installed.fingerprint()
    monkeypatch.setattr(sys, "version", "4.0")
    assert installed.fingerprint() != before


def test_templates_of_a_wheel_win(copy: Path) -> None:
    assert installed.packaged_templates() == copy / "templates"
    (copy / "pipegen" / "_fleet" / "templates").mkdir(parents=True)
    assert installed.packaged_templates() == copy / "pipegen" / "_fleet" / "templates"
