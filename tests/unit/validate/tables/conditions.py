"""One case for each code of conditions; test_conditional.py has the language."""

from pipegen.validate.codes import IF_BLANK, IF_ENV, IF_NAME, IF_REGEX, IF_SYNTAX, IF_TYPE, WRONG_TYPE
from tests.unit.validate.tables.case import Case, command

CASES: tuple[Case, ...] = (
    command(
        {"if": " "},
        {},
        IF_BLANK,
        ("if",),
        ("if is blank, which is no condition", "leave it out, or quote what begins with !"),
    ),
    command(
        {"if": True},
        {"if": "true"},
        WRONG_TYPE,
        ("if",),
        ("if is true: expected the text of a condition", 'quote it: "true"'),
    ),
    command(
        {"if": 'build.branch = "main"'},
        {"if": 'build.branch == "main"'},
        IF_SYNTAX,
        ("if",),
        ('"=" has no meaning in a condition (character 14 of the condition)', 'write "==" to compare'),
    ),
    command(
        {"if": 'build.branch == "main"\n  && build.tagg != null'},
        {"if": 'build.branch == "main"\n  && build.tag != null'},
        IF_NAME,
        ("if",),
        (
            '"build.tagg" is no variable of conditions (line 2, character 6 of the condition)',
            'did you mean "build.tag"?',
        ),
    ),
    command(
        {"if": "!build.tag"},
        {"if": "!(build.tag != null)"},
        IF_TYPE,
        ("if",),
        (
            '"!" needs a boolean, but "build.tag" is text (character 2 of the condition)',
            "compare it, as in build.tag != null",
        ),
    ),
    command(
        {"if": "build.branch =~ /(?<!x)main/"},
        {"if": "build.branch =~ /(?!x)main/i"},
        IF_REGEX,
        ("if",),
        ('a negative lookbehind is not supported: "(?<!" (character 18 of the condition)', ""),
    ),
    command(
        {"if": 'build.env("BUILDKITE_BUILD_NUMBER") == "1"'},
        {"if": "build.number == 1"},
        IF_ENV,
        ("if",),
        (
            '"BUILDKITE_BUILD_NUMBER" cannot be read in a condition (character 11 of the condition)',
            "write build.number",
        ),
    ),
)
