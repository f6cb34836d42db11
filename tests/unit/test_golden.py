"""Golden files are compared with, and written only where someone asks for that and reads the difference."""

from pathlib import Path

import pytest

from tests.support.golden import Golden

pytest_plugins = ["pytester"]

CONFTEST = Path(__file__).parents[1] / "conftest.py"


def test_compares_byte_for_byte(tmp_path: Path) -> None:
    file = tmp_path / "expected.txt"
    file.write_bytes(b"a\r\nb\n")
    Golden(update=False).check(file, "a\r\nb\n")
    with pytest.raises(AssertionError, match="--update-golden"):
        Golden(update=False).check(file, "a\nb\n")
    assert file.read_bytes() == b"a\r\nb\n"


def test_a_new_file_is_not_written_by_the_way(tmp_path: Path) -> None:
    file = tmp_path / "expected.txt"
    with pytest.raises(AssertionError, match="is not there"):
        Golden(update=False).check(file, "text")
    assert not file.exists()
    Golden(update=True).check(file, "text")
    assert file.read_text(encoding="utf-8") == "text"


@pytest.mark.parametrize(("ci", "outcome"), [("", {"passed": 1}), ("true", {"failed": 1}), ("1", {"failed": 1})])
def test_ci_never_writes(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, ci: str, outcome: dict[str, int]
) -> None:
    """The project's own fixture in a run of its own: an update in CI would make every difference pass."""
    if ci:
        monkeypatch.setenv("CI", ci)
    else:
        monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(CONFTEST.parents[1]))
    pytester.makeconftest(CONFTEST.read_text(encoding="utf-8"))
    pytester.path.joinpath("expected.txt").write_text("old", encoding="utf-8")
    pytester.makepyfile(
        """
        from pathlib import Path

        def test_it(golden):
            golden.check(Path(__file__).with_name("expected.txt"), "new")
        """
    )
    result = pytester.runpytest_subprocess("--update-golden", "-p", "no:cacheprovider")
    result.assert_outcomes(**outcome)
    assert pytester.path.joinpath("expected.txt").read_text(encoding="utf-8") == ("old" if ci else "new")
