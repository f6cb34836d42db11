"""Files that nobody would write: no traceback, no half of a pipeline, always an exit code.

A few of the inputs of `python -m bench.fuzz`, the same every time.
"""

from collections import Counter
from pathlib import Path

import pytest

from pipegen import app
from tests.support.bases import Base
from tests.support.fuzzing import MODES, fault, make, outcome, reproduced
from tests.support.workspaces import FILES, run, write

COUNT = 400


def test_whatever_it_is_given() -> None:
    wrong = [(number, found) for number in range(COUNT) if (found := fault(make("ci", number))) is not None]
    assert wrong == [], "python -m bench.fuzz --seed ci --number N shows one"


def test_inputs_are_of_every_mode_and_end_in_every_way() -> None:
    """Inputs that all fail at once would prove nothing."""
    given = [make("ci", number) for number in range(COUNT)]
    modes = Counter(one.mode for one in given)
    assert set(modes) == set(MODES)
    assert min(modes.values()) > COUNT / 20
    ends = Counter(outcome(one) for one in given[:200])
    assert ends["exit 0"] > 5
    assert ends["exit 1"] > 30


def test_the_same_number_is_the_same_input() -> None:
    assert reproduced(make("ci", 7)) == reproduced(make("ci", 7))
    assert reproduced(make("ci", 7)) != reproduced(make("other", 7))


def test_a_traceback_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> app.Product:
        raise KeyError("nobody looked")

    monkeypatch.setattr(app, "generate", broken)
    assert fault(make("ci", 0)) == "KeyError: 'nobody looked'"


def test_half_a_pipeline_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "steps:\n- group: A\n  steps:\n  - {key: a, command: make}\n  - {key: b}\n"
    monkeypatch.setattr(app, "generate", lambda *_: app.Product(document=text, diagnostics=()))
    assert fault(make("ci", 0)) == "a step that does nothing"


@pytest.mark.parametrize("number", range(12))
def test_the_command_line_ends_as_the_application_does(number: int, tmp_path: Path) -> None:
    """As a user runs it: an exit code, and standard output that holds a whole pipeline or the line for none."""
    given = make("cli", number)
    write(tmp_path, dict(given.files))
    words = () if given.base.pipeline is None else ("--pipeline", given.base.pipeline)
    ran = run("generate", "--all", *words, cwd=tmp_path)
    assert ran.status in (0, 1, 2, 3)
    assert ran.stdout.startswith(app.REFUSAL) == (ran.status != 0)
    assert "Traceback" not in ran.stderr


def test_the_small_workspace_is_sound() -> None:
    files = {path: content.encode() for path, content in FILES.items()}
    assert Base(name="small", files=files, authored=()).generate().document is not None
