"""Shapes of the attributes that Buildkite's command steps have: its own words with their own meaning.

Source: Buildkite's documentation of command steps and its pipeline schema. Shapes only; ranges, patterns and what
excludes what are checked on the rendered step by `validate`, where templates are checked too.
"""

from typing import Final

from pipegen.manifest.containers import AsAgentReads, ListOf, MapOf, OneOf
from pipegen.manifest.record import Field, PlainRecord, Record
from pipegen.manifest.shape import Boolean, Integer, Shape, Text, Word
from pipegen.plain import Plain


def _one_of(*shapes: Shape[Plain]) -> OneOf[Plain]:
    return OneOf(shapes=shapes)


TEXT: Final = Text()
TEXT_OR_LIST: Final[Shape[Plain]] = _one_of(TEXT, ListOf(item=TEXT))


def _record(what: str, *fields: Field[object]) -> PlainRecord:
    return PlainRecord(record=Record(what=what, fields=fields))


_EXIT_STATUS: Final = _one_of(Integer(), Word(choices=("*",)), ListOf(item=Integer()))
_LIMIT: Final = Field(name="limit", shape=Integer(), about="how often, 0 to 10", default=2)
_AUTOMATIC: Final = _record(
    "an automatic retry",
    Field(name="exit_status", shape=_EXIT_STATUS, about='the exit status to retry on, "*" for any failure', example=-1),
    Field(name="signal", shape=TEXT_OR_LIST, about="the signal that ended the command", example="SIGKILL"),
    Field(name="signal_reason", shape=TEXT_OR_LIST, about="why the job was ended", example="agent_stop"),
    _LIMIT,
)
_MANUAL: Final = _record(
    "a manual retry",
    Field(name="allowed", shape=Boolean(), about="whether people may retry", default=True),
    Field(name="permit_on_passed", shape=Boolean(), about="whether passed jobs may be retried", default=True),
    Field(name="reason", shape=TEXT, about="why it is not allowed"),
)
RETRY: Final = _record(
    "retry",
    Field(
        name="automatic",
        shape=_one_of(Boolean(), _AUTOMATIC, ListOf(item=_AUTOMATIC)),
        about="retries without a person",
    ),
    Field(name="manual", shape=_one_of(Boolean(), _MANUAL), about="retries by a person"),
)
SOFT_FAIL: Final = _one_of(
    Boolean(),
    ListOf(
        item=_record(
            "soft_fail",
            Field(
                name="exit_status",
                shape=_one_of(Integer(), Word(choices=("*",))),
                about="the exit status that does not fail the build",
                required=True,
            ),
        )
    ),
)
DEPENDENCY: Final = _one_of(
    TEXT,
    _record(
        "a dependency",
        Field(name="step", shape=TEXT, about="the key of a step", required=True),
        Field(name="allow_failure", shape=Boolean(), about="whether it may fail", default=False),
    ),
)
_ADJUSTMENT: Final = _record(
    "an adjustment",
    Field(name="with", shape=_one_of(MapOf(value=TEXT), TEXT_OR_LIST), about="the combination", required=True),
    Field(name="skip", shape=_one_of(Boolean(), TEXT), about="whether (or why) it is left out"),
    Field(name="soft_fail", shape=SOFT_FAIL, about="whether its failure fails the build"),
)
MATRIX: Final = _one_of(
    ListOf(item=TEXT),
    _record(
        "matrix",
        Field(
            name="setup",
            shape=_one_of(ListOf(item=TEXT), MapOf(value=ListOf(item=TEXT))),
            about="the dimensions and their values",
            required=True,
        ),
        Field(name="adjustments", shape=ListOf(item=_ADJUSTMENT), about="combinations that differ"),
    ),
)
CACHE: Final = _one_of(
    TEXT_OR_LIST,
    _record(
        "cache",
        Field(name="paths", shape=TEXT_OR_LIST, about="what is kept", required=True),
        Field(name="size", shape=TEXT, about="the volume's size", example="20g"),
        Field(name="name", shape=TEXT, about="the volume's name"),
    ),
)
SECRETS: Final = _one_of(ListOf(item=TEXT), MapOf(value=TEXT))
CHECKOUT: Final = _record(
    "checkout",
    Field(name="skip", shape=Boolean(), about="whether there is no checkout at all"),
    Field(name="submodules", shape=Boolean(), about="whether submodules are fetched"),
    Field(name="lfs", shape=Boolean(), about="whether Git LFS files are fetched"),
    Field(name="depth", shape=Integer(minimum=1), about="how many commits are fetched"),
    Field(name="flags", shape=MapOf(value=TEXT), about="flags for clone, fetch, checkout and clean"),
    Field(
        name="sparse",
        shape=_record("sparse", Field(name="paths", shape=TEXT_OR_LIST, about="the paths", required=True)),
        about="a sparse checkout",
    ),
    Field(name="ssh_secret", shape=TEXT, about="the secret that holds the key"),
    Field(name="commit_verification", shape=Word(choices=("strict", "warn", "off")), about="how commits are verified"),
)
IF_CHANGED: Final = _one_of(
    TEXT_OR_LIST,
    _record(
        "if_changed",
        Field(name="include", shape=TEXT_OR_LIST, about="globs of files that run the step", required=True),
        Field(name="exclude", shape=TEXT_OR_LIST, about="globs of files that do not"),
    ),
)
FREE: Final = AsAgentReads()
FREE_LIST: Final = ListOf(item=FREE)
