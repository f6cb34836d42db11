"""The language of `if`: what the server takes, and what it does not and why."""

import pytest

from pipegen.diagnostics import Code, listing
from pipegen.validate.codes import IF_ENV, IF_NAME, IF_REGEX, IF_SYNTAX, IF_TYPE
from pipegen.validate.conditional import check_condition, check_notify_condition
from pipegen.validate.conditional_calls import READABLE
from pipegen.validate.conditional_types import ENUMERATIONS, STEP_VARIABLES, VARIABLES, Kind

MARK = "\ufdd0NAME\ufdd1"
STATES = listing(ENUMERATIONS["build.state"])
SOURCES = listing(ENUMERATIONS["build.source"])

GOOD = (
    # literals and operators
    "true",
    "!false",
    "!!true",
    "12345 == 12345",
    "0x1F == 31 && 010 == 8 && 0b11 == 3 && 0o17 == 15 && 1_000 == 1000 && 0 == 0",
    "null == null",
    "'feature' == \"feature\"",
    '"a" != "b"',
    "true == false",
    "true || false && false",
    "(true || false) && false",
    "false ? true : false",
    "true ? false ? true : false : build.fixed",
    "(true ? null : build.tag) == build.branch",
    f"true ? {MARK} : false",
    'true || false ? build.branch == "a" : build.branch == "b"',
    '"v1.0" =~ /^v[0-9]+\\.0$/',
    '["main", "prod"] includes "prod"',
    '["main", build.branch] includes build.branch',
    "[] includes null",
    '"a" == "b" == false',
    '["a"] includes "b" == build.fixed',
    "build.branch =~ /x/ != true",
    'build.branch == "a" != true',
    "!(build.tag == null)",
    # comments and white space
    "// nothing\ntrue // but the truth\n// at all",
    'build.branch == "main" // the trunk\n&& build.tag == null',
    "\ttrue\r\n",
    # variables
    'build.branch == "main"',
    "build.tag != null",
    "null != build.tag",
    "build.number == 5",
    "build.fixed",
    "build.pull_request.draft || !build.pull_request.repository.fork",
    'build.pull_request.id == "5"',
    "build.pull_request.id == null",
    'build.pull_request.labels includes "ready"',
    "build.creator.teams includes /^release-/",
    'build.author.teams includes build.env("TEAM")',
    'build.scm.author.email =~ /@example\\.com$/i || build.scm.committer.name == "bot"',
    'build.merge_queue.base_branch == "main" && build.merge_queue.base_commit != null',
    'pipeline.slug == "ci" && pipeline.started_failing && organization.slug != "x"',
    "build.branch == pipeline.default_branch",
    "build.message !~ /\\[skip tests\\]/",
    "null =~ /x/",
    # enumerations
    'build.source == "schedule"',
    'build.source != "ui" && build.source != null',
    'build.state == "not_run"',
    'build.blocked_state == "running"',
    '["ui", "api"] includes build.source',
    'build.source == "$SOURCE"',
    f'build.source == "{MARK}"',
    'build.source == build.env("SOURCE")',
    # functions
    'build.env("NIGHTLY") == "1"',
    'build.env("NIGHTLY") == null',
    'env("NIGHTLY") == ""',
    'env(env("NAME")) != "x"',
    "env ( 'A' ) == ''",
    'build.env("BUILDKITE_PULL_REQUEST_LABELS") =~ /ready/',
    'build.env("BUILDKITE_PIPELINE_SLUG") == "ci"',
    'build.env("$NAME") == "1"',
    'build.env("BUILDKITESQUE") == "1"',
    f'build.env("{MARK}") == "1"',
    # texts
    r'"a\"b" == "a" + "" || true'.replace(' + ""', ""),
    r"'it\'s' == 'its'",
    r'"\n\s\t\x41\101\e\q" != ""',
    '"a\nb" == "c"',
    # expansions and references as values
    '$BRANCH == "main"',
    '${BRANCH:-main} == "main"',
    '${A:-${B}} == "x"',
    MARK,
    f'{MARK} == "x" && !{MARK} && {MARK} =~ /x/ && [{MARK}] includes {MARK}',
    f"build.branch =~ /^{MARK}(/",
    # regular expressions
    "build.branch =~ /a{2,3}b{2}c{,x}/",
    "build.branch =~ /a+?b*?c??/",
    "build.branch =~ /(?:a|b)(?=c)(?!d)/",
    "build.branch =~ /(?i)main/",
    "build.branch =~ /(?i:main)/",
    "build.branch =~ /[(*+?]/",
    "build.branch =~ /[]a]/",
    "build.branch =~ /[^]a]/",
    "build.branch =~ /[[:alpha:]+]/",
    r"build.branch =~ /\(\[\*\/\+/",
    "build.branch =~ /(?#why)main/",
    "build.branch =~ /a|b|/",
    "build.branch =~ /x$/",
    "build.branch =~ /main/ii",
)


@pytest.mark.parametrize("condition", GOOD)
def test_good(condition: str) -> None:
    assert list(check_condition(condition, ("if",), "if")) == []


@pytest.mark.parametrize("name", VARIABLES)
def test_every_variable_can_be_asked_for(name: str) -> None:
    condition = f'{name} includes "x"' if VARIABLES[name] is Kind.LIST else f"{name} == null"
    assert list(check_condition(condition, ("if",), "if")) == []


@pytest.mark.parametrize("name", sorted(READABLE))
def test_every_readable_variable_can_be_read(name: str) -> None:
    assert list(check_condition(f'build.env("{name}") == "x"', ("if",), "if")) == []


@pytest.mark.parametrize("name", STEP_VARIABLES)
def test_variables_of_the_step_are_for_notifications(name: str) -> None:
    condition = f"{name} != null"
    assert list(check_notify_condition(condition, ("if",), "if")) == []
    (problem,) = check_condition(condition, ("if",), "if")
    assert problem.code is IF_NAME
    assert problem.help == "variables of the step exist only in the conditions of its notify"


@pytest.mark.parametrize(("name", "word"), [(name, word) for name, words in ENUMERATIONS.items() for word in words])
def test_every_member_of_an_enumeration_compares(name: str, word: str) -> None:
    assert list(check_notify_condition(f'{name} == "{word}" || {name} != "{word}"', ("if",), "if")) == []


BAD: tuple[tuple[str, Code, int, str, str], ...] = (
    # what the language does not have
    ('build.branch = "main"', IF_SYNTAX, 14, '"=" has no meaning in a condition', 'write "==" to compare'),
    ("build.number > 5", IF_SYNTAX, 14, '">" has no meaning in a condition', "conditions compare with == and != only"),
    ("build.number <= 5", IF_SYNTAX, 14, '"<" has no meaning in a condition', "conditions compare with == and != only"),
    ("true & true", IF_SYNTAX, 6, '"&" has no meaning in a condition', 'write "&&"'),
    ("true | true", IF_SYNTAX, 6, '"|" has no meaning in a condition', 'write "||"'),
    ('["a"] @> build.branch', IF_SYNTAX, 7, '"@" has no meaning in a condition', 'write "includes"'),
    ("build.branch == `x`", IF_SYNTAX, 17, '"`" has no meaning in a condition', "put texts in quotes"),
    ("build.number + 1 == 2", IF_SYNTAX, 14, '"+" has no meaning in a condition', ""),
    ("build.number == -1", IF_SYNTAX, 17, '"-" has no meaning in a condition', ""),
    ("build.tag == null and true", IF_SYNTAX, 19, 'expected an operator or the end, found "and"', 'write "&&"'),
    ("build.fixed or true", IF_SYNTAX, 13, 'expected an operator or the end, found "or"', 'write "||"'),
    ("not build.fixed", IF_SYNTAX, 5, 'expected an operator or the end, found "build.fixed"', 'write "!"'),
    (
        'build.branch contains "x"',
        IF_SYNTAX,
        14,
        'expected an operator or the end, found "contains"',
        'write "includes"',
    ),
    (
        "build.number == 1.5",
        IF_SYNTAX,
        18,
        '"." has no meaning in a condition',
        "numbers are whole, and names begin with a letter",
    ),
    ("08 == 8", IF_SYNTAX, 1, '"08" is no whole number', "a leading 0 makes a number octal"),
    ("build.number == 5abc", IF_SYNTAX, 17, '"5abc" is no whole number', "put texts in quotes"),
    # what has no end, or a wrong one
    ('build.branch == "main', IF_SYNTAX, 17, "a text begins here and never ends", 'close it with "'),
    ("build.branch == 'main\\'", IF_SYNTAX, 17, "a text begins here and never ends", "close it with '"),
    ("build.branch =~ /main", IF_SYNTAX, 17, "a regular expression begins here and never ends", "close it with /"),
    ("${A == 1", IF_SYNTAX, 1, 'an expansion begins with "${" and never ends', 'close it with "}"'),
    ("$", IF_SYNTAX, 1, '"$" has no meaning in a condition', ""),
    ("(build.fixed", IF_SYNTAX, 13, 'expected an operator or ")", found the end', ""),
    ("build.fixed)", IF_SYNTAX, 12, 'expected an operator or the end, found ")"', ""),
    ('["a", "b"', IF_SYNTAX, 10, 'expected an operator, "," or "]", found the end', ""),
    ('["a",] includes "b"', IF_SYNTAX, 6, 'expected a value, found "]"', ""),
    ('env("A" == "b"', IF_SYNTAX, 15, 'expected an operator, "," or ")", found the end', ""),
    ("build.fixed ? true", IF_SYNTAX, 19, 'expected an operator or ":", found the end', ""),
    ("build.tag ==", IF_SYNTAX, 13, "expected a value, found the end", ""),
    ("&& true", IF_SYNTAX, 1, 'expected a value, found "&&"', ""),
    ("build.tag != == null", IF_SYNTAX, 14, 'expected a value, found "=="', ""),
    ('includes "x"', IF_SYNTAX, 1, 'expected a value, found "includes"', ""),
    ("true false", IF_SYNTAX, 6, 'expected an operator or the end, found "false"', ""),
    ('"a"("b")', IF_SYNTAX, 4, 'expected an operator or the end, found "("', ""),
    ('build..branch == "main"', IF_SYNTAX, 1, '"build..branch" is no name: expected something after every dot', ""),
    ("build. == 1", IF_SYNTAX, 1, '"build." is no name: expected something after every dot', ""),
    ("// only a comment", IF_SYNTAX, 18, "expected a value, found the end", ""),
    # names
    ('build.branc == "main"', IF_NAME, 1, '"build.branc" is no variable of conditions', 'did you mean "build.branch"?'),
    ("build.branch == main", IF_NAME, 17, '"main" is no variable of conditions', 'put a text in quotes: "main"'),
    (
        'build.pull_request_repo == "x"',
        IF_NAME,
        1,
        '"build.pull_request_repo" is no variable of conditions',
        'did you mean "build.pull_request.repository"?',
    ),
    ('build.env == "x"', IF_NAME, 1, '"build.env" is no variable of conditions', 'write build.env("NAME")'),
    (
        'build.meta_data("x") == "y"',
        IF_NAME,
        1,
        '"build.meta_data" is no function of conditions',
        "conditions cannot read meta-data: they are decided before any job runs",
    ),
    ('build.envs("x") == "y"', IF_NAME, 1, '"build.envs" is no function of conditions', 'did you mean "build.env"?'),
    ('length("x") == 1', IF_NAME, 1, '"length" is no function of conditions', 'write build.env("NAME")'),
    # booleans
    ("!build.tag", IF_TYPE, 2, '"!" needs a boolean, but "build.tag" is text', "compare it, as in build.tag != null"),
    (
        '!build.branch == "x"',
        IF_TYPE,
        2,
        '"!" needs a boolean, but "build.branch" is text',
        "compare it, as in build.branch != null",
    ),
    ("!null", IF_TYPE, 2, '"!" needs a boolean, but this is null', ""),
    (
        'build.env("X") || true',
        IF_TYPE,
        1,
        '"||" needs a boolean, but build.env("X") is text',
        'compare it, as in build.env("X") == "true"',
    ),
    (
        "true && build.number",
        IF_TYPE,
        9,
        '"&&" needs a boolean, but "build.number" is a number',
        "compare it, as in build.number == 1",
    ),
    (
        "build.source && true",
        IF_TYPE,
        1,
        '"&&" needs a boolean, but "build.source" is one of "api", "ui", "webhook" and 3 more',
        'compare it, as in build.source == "api"',
    ),
    (
        "build.tag ? true : false",
        IF_TYPE,
        1,
        '"?" needs a boolean, but "build.tag" is text',
        "compare it, as in build.tag != null",
    ),
    (
        "build.branch",
        IF_TYPE,
        1,
        'a condition needs a boolean, but "build.branch" is text',
        "compare it, as in build.branch != null",
    ),
    ("null", IF_TYPE, 1, "a condition needs a boolean, but this is null", ""),
    ("5", IF_TYPE, 1, 'a condition needs a boolean, but "5" is a number', ""),
    ('"true"', IF_TYPE, 1, 'a condition needs a boolean, but "true" is text', ""),
    (
        "build.author.teams",
        IF_TYPE,
        1,
        'a condition needs a boolean, but "build.author.teams" is a list of texts',
        'ask for a member, as in build.author.teams includes "text"',
    ),
    ("/main/", IF_TYPE, 1, 'a condition needs a boolean, but "/main/" is a regular expression', ""),
    ("$SKIP", IF_TYPE, 1, 'a condition needs a boolean, but "$SKIP" is text', ""),
    # comparisons
    (
        "build.pull_request.id == 5",
        IF_TYPE,
        26,
        '"==" compares two of a kind, but "build.pull_request.id" is text and "5" is a number',
        'quote it: "5"',
    ),
    (
        'build.number != "5"',
        IF_TYPE,
        17,
        '"!=" compares two of a kind, but "build.number" is a number and "5" is text',
        "write 5 without quotes",
    ),
    (
        "build.number == build.branch",
        IF_TYPE,
        17,
        '"==" compares two of a kind, but "build.number" is a number and "build.branch" is text',
        "",
    ),
    (
        'build.fixed == "true"',
        IF_TYPE,
        16,
        '"==" compares two of a kind, but "build.fixed" is a boolean and "true" is text',
        "write true without quotes",
    ),
    (
        'build.env("X") == true',
        IF_TYPE,
        19,
        '"==" compares two of a kind, but build.env("X") is text and "true" is a boolean',
        'quote it: "true"',
    ),
    ('["a"] == ["a"]', IF_TYPE, 1, '"==" compares single values, but ["a"] is a list of texts', 'write "includes"'),
    ('["a"] == null', IF_TYPE, 1, '"==" compares single values, but ["a"] is a list of texts', 'write "includes"'),
    (
        'build.pull_request.labels == "x"',
        IF_TYPE,
        1,
        '"==" compares single values, but "build.pull_request.labels" is a list of texts',
        'write "includes"',
    ),
    (
        "build.branch == /main/",
        IF_TYPE,
        17,
        '"==" compares single values, but "/main/" is a regular expression',
        'write "=~"',
    ),
    (
        "build.branch != /main/",
        IF_TYPE,
        17,
        '"!=" compares single values, but "/main/" is a regular expression',
        'write "!~"',
    ),
    (
        '(true ? "a" : 1) == null',
        IF_TYPE,
        15,
        '"?" chooses between two of a kind, but "a" is text and "1" is a number',
        'quote it: "1"',
    ),
    ('build.fixed ? "a" : "b"', IF_TYPE, 1, 'a condition needs a boolean, but build.fixed ? "a" : "b" is text', ""),
    # enumerations
    (
        'build.state == "pased"',
        IF_TYPE,
        16,
        f'build.state is never "pased": expected one of {STATES}',
        'did you mean "passed"?',
    ),
    ('build.source == "cron"', IF_TYPE, 17, f'build.source is never "cron": expected one of {SOURCES}', ""),
    (
        '"ui" == build.source',
        IF_TYPE,
        9,
        '"build.source" stands on the right of "==": expected on the left',
        'write build.source == "ui"',
    ),
    (
        "build.blocked_state == build.state",
        IF_TYPE,
        24,
        'build.blocked_state == build.state cannot be compared: expected one of "failed", "passed" and "running"',
        "",
    ),
    (
        "build.blocked_state == 1",
        IF_TYPE,
        24,
        'build.blocked_state == 1 cannot be compared: expected one of "failed", "passed" and "running"',
        "",
    ),
    (
        "build.blocked_state =~ /pass/",
        IF_TYPE,
        1,
        '"=~" needs text on its left, but "build.blocked_state" is one of "failed", "passed" and "running"',
        'write build.blocked_state == "failed"',
    ),
    # matches and members
    (
        'build.branch =~ "main"',
        IF_TYPE,
        17,
        '"=~" needs a regular expression on its right, but "main" is text',
        "write /main/",
    ),
    (
        "build.branch !~ build.tag",
        IF_TYPE,
        17,
        '"!~" needs a regular expression on its right, but "build.tag" is text',
        "",
    ),
    ("true =~ /true/", IF_TYPE, 1, '"=~" needs text on its left, but "true" is a boolean', ""),
    (
        "build.author.teams =~ /x/",
        IF_TYPE,
        1,
        '"=~" needs text on its left, but "build.author.teams" is a list of texts',
        "write build.author.teams includes /x/",
    ),
    ('"a" includes "b"', IF_TYPE, 1, '"includes" needs a list on its left, but "a" is text', ""),
    (
        '"x" includes build.author.teams',
        IF_TYPE,
        1,
        '"includes" needs a list on its left, but "x" is text',
        'write build.author.teams includes "x"',
    ),
    (
        "build.author.teams includes 1",
        IF_TYPE,
        29,
        '"includes" needs text or a regular expression on its right, but "1" is a number',
        "",
    ),
    ('["a", 1] includes "a"', IF_TYPE, 7, 'a list holds texts, but "1" is a number', 'quote it: "1"'),
    ('[null] includes "a"', IF_TYPE, 2, "a list holds texts, but this is null", ""),
    # functions
    ('env() == ""', IF_TYPE, 1, "env takes one name, not 0", 'write env("NAME")'),
    ('build.env("A", "B") == null', IF_TYPE, 1, "build.env takes one name, not 2", 'write build.env("NAME")'),
    ('env(1) == ""', IF_TYPE, 5, 'env needs the text of a name, but "1" is a number', 'write env("NAME")'),
    (
        "env('$FOO') == ''",
        IF_ENV,
        5,
        '"$FOO" is no name of a variable: expected letters, digits and "_"',
        'write env("FOO")',
    ),
    ('env("A-B") == ""', IF_ENV, 5, '"A-B" is no name of a variable: expected letters, digits and "_"', ""),
    ('env("") == ""', IF_ENV, 5, '"" is no name of a variable: expected letters, digits and "_"', ""),
    (
        'build.env("BUILDKITE_BUILD_NUMBER") == "5"',
        IF_ENV,
        11,
        '"BUILDKITE_BUILD_NUMBER" cannot be read in a condition',
        "write build.number",
    ),
    (
        'build.env("BUILDKITE_BRANCHES") == "5"',
        IF_ENV,
        11,
        '"BUILDKITE_BRANCHES" cannot be read in a condition',
        'did you mean "BUILDKITE_BRANCH"?',
    ),
    (
        "env('BUILDKITE_X') == ''",
        IF_ENV,
        5,
        '"BUILDKITE_X" cannot be read in a condition',
        "only what is known before any job exists can be read",
    ),
    (
        r'build.env("\x42UILDKITE_PULL_REQUEST_LABEL") == null',
        IF_ENV,
        11,
        '"BUILDKITE_PULL_REQUEST_LABEL" cannot be read in a condition',
        'did you mean "BUILDKITE_PULL_REQUEST_LABELS"?',
    ),
    # regular expressions
    ("build.tag =~ /(?<=a)b/", IF_REGEX, 15, 'a lookbehind is not supported: "(?<="', ""),
    ("build.tag =~ /x(?<!a)b/", IF_REGEX, 16, 'a negative lookbehind is not supported: "(?<!"', ""),
    ("build.tag =~ /(?>a)b/", IF_REGEX, 15, 'an atomic group is not supported: "(?>"', ""),
    ("build.tag =~ /(?<n>a)b/", IF_REGEX, 15, 'a named group is not supported: "(?<"', "take the name out"),
    ("build.tag =~ /(?P<n>a)b/", IF_REGEX, 15, 'a named group is not supported: "(?P<"', "take the name out"),
    ("build.tag =~ /(?'n'a)b/", IF_REGEX, 15, 'a named group is not supported: "(?\'"', "take the name out"),
    ("build.tag =~ /(?(1)a|b)/", IF_REGEX, 15, 'a conditional is not supported: "(?("', ""),
    (
        "build.tag =~ /a*+/",
        IF_REGEX,
        17,
        'a possessive repetition ("+" behind another) is not supported',
        'take the "+" out',
    ),
    (
        '"a" == "b" =~ /x/',
        IF_TYPE,
        1,
        '"=~" needs text on its left, but "a" == "b" is a boolean',
        "",
    ),
    (
        "!build.branch =~ /x/",
        IF_TYPE,
        2,
        '"!" needs a boolean, but "build.branch" is text',
        "compare it, as in build.branch != null",
    ),
    (
        "build.tag =~ /a+?+/",
        IF_REGEX,
        18,
        'a possessive repetition ("+" behind another) is not supported',
        'take the "+" out',
    ),
    (
        "build.tag =~ /a{1,2}+/",
        IF_REGEX,
        21,
        'a possessive repetition ("+" behind another) is not supported',
        'take the "+" out',
    ),
    (
        "build.tag =~ /*main/",
        IF_REGEX,
        15,
        '"*" repeats nothing',
        'write ".*" for any characters, or put "\\" before it',
    ),
    ("build.tag =~ /a|+/", IF_REGEX, 17, '"+" repeats nothing', 'write ".+" for any characters, or put "\\" before it'),
    ("build.tag =~ /(a/", IF_REGEX, 15, '"(" begins a group that never ends', 'write "\\(" for the character'),
    ("build.tag =~ /a)/", IF_REGEX, 16, '")" closes no group', 'write "\\)" for the character'),
    ("build.tag =~ /a[b/", IF_REGEX, 16, '"[" begins a set that never ends', 'write "\\[" for the character'),
    ("build.tag =~ /a/gi", IF_REGEX, 17, '"g" is no flag of a regular expression: expected "i"', ""),
)


@pytest.mark.parametrize(("condition", "code", "character", "message", "hint"), BAD)
def test_bad(condition: str, code: Code, character: int, message: str, hint: str) -> None:
    (problem,) = check_condition(condition, ("if",), "if")
    assert problem.message == f"{message} (character {character} of the condition)"
    assert (problem.code, problem.help) == (code, hint)


def test_all_faults_are_told_in_their_order() -> None:
    condition = 'build.branc == "x" && !build.tag || env("BUILDKITE_X") =~ "y"\n'
    assert [(problem.code, problem.message) for problem in check_condition(condition, ("if",), "if")] == [
        (IF_NAME, '"build.branc" is no variable of conditions (character 1 of the condition)'),
        (IF_TYPE, '"!" needs a boolean, but "build.tag" is text (character 24 of the condition)'),
        (IF_ENV, '"BUILDKITE_X" cannot be read in a condition (character 41 of the condition)'),
        (IF_TYPE, '"=~" needs a regular expression on its right, but "y" is text (character 59 of the condition)'),
    ]


def test_a_fault_is_told_once() -> None:
    (problem,) = check_condition('!(build.nope == 1) && (build.branch == "x")', ("if",), "if")
    assert problem.code is IF_NAME


def test_a_long_chain_is_no_depth() -> None:
    assert list(check_condition(" || ".join(['build.branch == "x"'] * 5000), ("if",), "if")) == []


@pytest.mark.parametrize("opening", ["(", "!", "[", "env(", "true ? ", "true ? true : "])
def test_too_deep_is_a_fault_and_no_crash(opening: str) -> None:
    (problem,) = check_condition(opening * 5000, ("if",), "if")
    assert problem.code is IF_SYNTAX
    assert problem.message.startswith("a condition is nested more than 100 deep (character ")


def test_how_deep_a_condition_may_be() -> None:
    assert list(check_condition("(" * 99 + "true" + ")" * 99, ("if",), "if")) == []
    (problem,) = check_condition("(" * 100 + "true" + ")" * 100, ("if",), "if")
    assert problem.message == "a condition is nested more than 100 deep (character 101 of the condition)"
    assert list(check_condition(" && ".join(["(true)"] * 200), ("if",), "if")) == []


def test_the_line_is_named_where_there_are_several() -> None:
    (problem,) = check_condition("true\n&&\nbuild.tag", ("if",), "if")
    assert problem.message.endswith("(line 3, character 1 of the condition)")
