"""What a build's page says: every figure and list, and never too much."""

import re

import pytest

from pipegen.diagnostics import Span
from pipegen.model import Job, Outcome, Planned, Reason
from pipegen.report.annotation import Told, annotation, style_of, summary
from pipegen.report.commonmark import MAX_BYTES
from pipegen.select import BuildPlan, ChangedFiles, Circumstances, Edit, Edits, Everything
from tests.support.bases import Base
from tests.support.workspaces import FILES

SPAN = Span(path="areas/engine.yaml", line=5, column=3)


def jobs() -> tuple[Job, ...]:
    base = Base(name="small", files={path: text.encode() for path, text in FILES.items()}, authored=())
    return base.sound_plan().expansion.jobs


def told(
    *outcomes: Outcome,
    edits: Edits | None = None,
    unclassified: tuple[str, ...] = (),
    run_all: Reason | None = None,
    known: bool = True,
    nothing: str | None = None,
    pipeline: str | None = None,
) -> Told:
    """A plan whose jobs have these outcomes, the lanes taking turns."""
    of = jobs()
    planned = tuple(
        Planned(
            job=of[at % len(of)],
            outcome=outcome,
            reason=Reason(text="so", span=SPAN),
            timeout_in_minutes=None,
        )
        for at, outcome in enumerate(outcomes)
    )
    changes = ChangedFiles(paths=("a.c",)) if known else Everything(cause="git is missing")
    return Told(
        pipeline=pipeline,
        plan=BuildPlan(planned=planned, run_all=run_all, nothing=nothing),
        circumstances=Circumstances(changes=changes, edits=edits or Edits()),
        compared="the list of changed files",
        unclassified=unclassified,
    )


RUN, GATED, SKIPPED, OMITTED = Outcome.RUN, Outcome.GATED, Outcome.SKIPPED, Outcome.OMITTED


def test_counts_and_lanes() -> None:
    text = summary(told(RUN, RUN, GATED, GATED, SKIPPED, OMITTED, RUN, pipeline="ci"))
    assert text == (
        "Pipeline `ci`: **3 of 7 jobs run**, 2 wait behind a gate, 1 is skipped, 1 is left out\n\n"
        "Basis: the list of changed files\n\n"
        "| lane | run | gated | skipped | omitted |\n| --- | ---: | ---: | ---: | ---: |\n"
        "| cuda | 2 | 1 | 1 | 0 |\n| cpu | 1 | 1 | 0 | 1 |\n"
    )


def test_one_job() -> None:
    assert summary(told(RUN)).startswith("**1 of 1 job runs**\n")


def test_why_everything_runs() -> None:
    reason = Reason(text='"csrc/a.cu" matches "csrc/"', span=SPAN)
    text = summary(told(RUN, run_all=reason))
    assert r'**Everything runs**: "csrc/a\.cu" matches "csrc/" (`areas/engine.yaml:5:3`)' in text


def test_that_everything_runs_is_said_once() -> None:
    text = summary(told(RUN, run_all=Reason(text="everything runs: git is missing", span=SPAN)))
    assert "**Everything runs**: git is missing (`" in text


def test_nothing_runs() -> None:
    text = summary(told(OMITTED, nothing="no changed file concerns a job"))
    assert text.startswith("**no job runs**, since no changed file concerns a job\n")
    assert "| lane | run | omitted |" in text


def test_lists() -> None:
    edits = Edits(
        jobs={
            "a-new": Edit(what="is new", file="a.yaml", new=True),
            "an-edited": Edit(what="changed in env", file="a.yaml"),
        },
        removed=("a-removed", "b-removed"),
    )
    text = summary(told(RUN, edits=edits, unclassified=("x.c",)))
    assert text.endswith(
        "\n\n**1 changed file that nothing is about**\n\n* `x.c`"
        "\n\n**1 new job**\n\n* `a-new`"
        "\n\n**1 edited job**\n\n* `an-edited` changed in env"
        "\n\n**2 removed jobs**\n\n* `a-removed`\n* `b-removed`\n"
    )


def test_long_lists_are_folded_away() -> None:
    text = summary(told(RUN, unclassified=tuple(f"f{at}.c" for at in range(11))))
    assert "<details><summary>11 changed files that nothing is about</summary>\n\n* `f0.c`\n" in text
    assert text.endswith("* `f10.c`\n\n</details>\n")


@pytest.mark.parametrize(
    ("given", "style"),
    [
        (told(RUN), "info"),
        (told(RUN, unclassified=("x",)), "warning"),
        (told(RUN, known=False), "warning"),
        (told(RUN, edits=Edits(unknown=Edit(what="who knows", file="x"))), "warning"),
    ],
)
def test_style(given: Told, style: str) -> None:
    assert style_of(given) == style


def test_more_than_the_agent_takes_is_cut_between_lines() -> None:
    """With lists that fill three megabytes, in characters of several bytes."""
    body = summary(told(RUN, unclassified=tuple(f"é{at:06}{'ü' * 100}.c" for at in range(12_000))))
    text = annotation("Uploaded in 3 parts.", body)
    assert MAX_BYTES - 400 < len(text.encode()) <= MAX_BYTES
    assert text.startswith("Uploaded in 3 parts.\n\n**1 of 1 job runs**")
    assert text.endswith(
        "\n\n</details>\n\nThere is more than an annotation can hold: the artifact has the whole plan.\n"
    )
    assert text.count("<details>") == text.count("</details>") == 1
    kept = [line for line in text.splitlines() if line.startswith("* ")]
    assert all(re.fullmatch(r"\* `é\d{6}ü{100}\.c`", line) for line in kept)


@pytest.mark.parametrize("name", ["<details>", "</details>"])
def test_what_is_cut_is_closed_whatever_files_are_called(name: str) -> None:
    body = summary(told(RUN, unclassified=tuple(f"{name}{at:03}" for at in range(200))))
    text = annotation("Head.", body, limit=1000)
    lines = text.splitlines()
    assert lines.count("</details>") == sum(line.startswith("<details>") for line in lines) == 1
    body = summary(told(RUN, unclassified=(name,)))
    text = annotation("Head.", body + "line\n" * 1000, limit=1000)
    assert "</details>" not in text.splitlines()


def test_what_fits_is_left_alone() -> None:
    body = summary(told(RUN))
    assert annotation("Head.", body) == f"Head.\n\n{body}"
    whole = len(f"Head.\n\n{body}".encode())
    assert annotation("Head.", body, limit=whole) == f"Head.\n\n{body}"
    assert annotation("Head.", "line\n" * 1000, limit=300).count("line") > 20
