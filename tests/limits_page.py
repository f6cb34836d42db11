"""docs/limits.md: what pipegen refuses because it is too much, from the constants that refuse it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pipegen.app.explain import MAX_LISTING_BYTES
from pipegen.app.templates import MAX_TEMPLATE_BYTES, MAX_TEMPLATES
from pipegen.emit.scalar import MAX_KEY
from pipegen.expand.budget import MAX_DEPENDENCIES, MAX_JOBS, MAX_VALUES
from pipegen.expression.logic import MAX_ATOMS
from pipegen.expression.parser import MAX_DEPTH as MAX_NESTED_EXPRESSION
from pipegen.expression.parser import MAX_OPERANDS
from pipegen.jinja.filters import MAX_ALL_OUTPUT, MAX_OUTPUT
from pipegen.jinja.sandbox import MAX_ALL_STEPS, MAX_RANGE, MAX_STEPS
from pipegen.manifest.building import MAX_DEPTH, MAX_NODES
from pipegen.manifest.fields import MAX_NAMES, MAX_PATH
from pipegen.manifest.load import MAX_ALL_BYTES, MAX_FILES
from pipegen.manifest.located import MAX_COMPARISONS
from pipegen.manifest.yaml import MAX_BYTES
from pipegen.patterns import MAX_LENGTH
from pipegen.validate.conditional import MAX_CONDITION
from pipegen.validate.key import LONGEST_KEY, LONGEST_LABEL

HEAD: Final = """\
# Limits

<!-- Made from the constants in the code: python -m tests.regenerate -->

Manifests come from pull requests, and whoever opens one can write a small file that means a huge pipeline. What is
more than this is refused where it is written, before the work that it would cost is done. The limits are far above any
real fleet; Buildkite's own (jobs of an upload, dimensions of a matrix, …) are checked as well and are not listed here.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One limit: what it is of, how much, and what becomes of more."""

    of: str
    most: int
    more: str = "error `PG107`"


LIMITS: Final[tuple[tuple[str, tuple[Limit, ...]], ...]] = (
    (
        "Files",
        (
            Limit(of="bytes of a YAML file", most=MAX_BYTES),
            Limit(of="bytes of all manifests of a pipeline together", most=MAX_ALL_BYTES),
            Limit(of="manifests of a pipeline", most=MAX_FILES),
            Limit(of="values in a YAML file, aliases counted at their full size", most=MAX_NODES),
            Limit(of="levels of nesting in a YAML file", most=MAX_DEPTH),
            Limit(of="bytes of a template", most=MAX_TEMPLATE_BYTES),
            Limit(of="files in the folder of templates", most=MAX_TEMPLATES),
            Limit(of="bytes of a listing", most=MAX_LISTING_BYTES, more="the rest is not read"),
        ),
    ),
    (
        "Jobs",
        (
            Limit(
                of="jobs of a pipeline, whatever is selected (parts by variants by the step and its mirrors)",
                most=MAX_JOBS,
            ),
            Limit(
                of="values of all jobs together, after inheritance; 16 characters of a text count as one more",
                most=MAX_VALUES,
            ),
            Limit(of="keys that all jobs together wait for, areas counted by their jobs", most=MAX_DEPENDENCIES),
        ),
    ),
    (
        "Expressions in `{{ … }}` and templates",
        (
            Limit(of="turns of loops and calls of macros in one", most=MAX_STEPS, more="error `PG117` or `PG750`"),
            Limit(of="the same in all values, or all templates, of a pipeline", most=MAX_ALL_STEPS, more="the same"),
            Limit(of="characters that one may produce, at any point", most=MAX_OUTPUT, more="the same"),
            Limit(of="the same of all values, or all templates, of a pipeline", most=MAX_ALL_OUTPUT, more="the same"),
            Limit(of="numbers of one `range`", most=MAX_RANGE, more="the same"),
        ),
    ),
    (
        "Texts",
        (
            Limit(
                of="characters of a key, its prefixes included (Buildkite's)", most=LONGEST_KEY, more="error `PG712`"
            ),
            Limit(of="characters of a label", most=LONGEST_LABEL, more="warning `PG713`"),
            Limit(of="characters of a key of a mapping in what is uploaded", most=MAX_KEY, more="error `PG709`"),
            Limit(of="characters of a test path or a pattern in `sources`", most=MAX_PATH, more="error `PG114`"),
            Limit(of="names in such a path, with `/` between", most=MAX_NAMES, more="error `PG114`"),
            Limit(of="characters of a pattern in `run_all` or `ignored`", most=MAX_LENGTH, more="error `PG122`"),
            Limit(of="characters of a condition (`if`)", most=MAX_CONDITION, more="error `PG705`"),
            Limit(of="operands of one `and` or `or` in `k` and `m`", most=MAX_OPERANDS, more="error `PG121`"),
            Limit(of="levels of brackets and `not` in `k` and `m`", most=MAX_NESTED_EXPRESSION, more="error `PG121`"),
            Limit(
                of="different names in parts without `rest` that logic looks through completely",
                most=MAX_ATOMS,
                more="finding `PG205`: not proven",
            ),
            Limit(
                of="pairs of words that are compared to say what misspelt ones were meant to be",
                most=MAX_COMPARISONS,
                more="no suggestion",
            ),
        ),
    ),
)

TAIL: Final = """\

Wildcards cost nothing to count: however many `*` and `**` a pattern has, it is matched in time that grows with the
length of the path.
"""


def limits_page() -> str:
    """The page."""
    return HEAD + "\n".join(_sections()) + TAIL


def _sections() -> Iterator[str]:
    for title, limits in LIMITS:
        yield f"\n## {title}\n"
        yield "| what | at most | more is |"
        yield "| --- | ---: | --- |"
        for limit in limits:
            yield f"| {limit.of} | {limit.most:,} | {limit.more} |"
    yield ""
