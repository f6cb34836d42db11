"""Values of a shape that nobody would write on purpose."""

from pipegen.validate.block_step import check_block_step
from pipegen.validate.codes import (
    ENV_NAME,
    ENV_VALUE,
    INVALID_KEY,
    MATRIX_ELEMENT,
    MATRIX_LIMIT,
    MISSING_ATTRIBUTE,
    UNKNOWN_ATTRIBUTE,
    UPLOAD_REFERENCE,
    WRONG_TYPE,
)
from tests.unit.validate.tables.attributes import AT_UPLOAD, KEY_CHARACTERS, NO_UPLOAD, WRITE_ITSELF
from tests.unit.validate.tables.case import Case, block, command, field_case, pipeline

JOB = {"command": "make"}
ANY_STATUS = '"*" or a whole number'

COMMAND: tuple[Case, ...] = (
    command(
        {"agents": [5]},
        {"agents": []},
        WRONG_TYPE,
        ("agents", 0),
        ('agents entry 1 is 5: expected text of the form "tag=value"', 'quote it: "5"'),
    ),
    command(
        {"env": {"A": {"b": "c"}}},
        {"env": {"A": '{"b": "c"}'}},
        ENV_VALUE,
        ("env", "A"),
        (
            "env A is a mapping: expected text",
            "an environment variable holds one text: write JSON in quotes if the job reads JSON",
        ),
    ),
    command(
        {"env": {"A\nB": 5}},
        {"env": {"A\nB": "5"}},
        ENV_VALUE,
        ("env", "A\nB"),
        ("env A\\nB is 5: expected text", 'quote it: "5"'),
    ),
    command(
        {"soft_fail": [{"exit_status": "1"}]},
        {"soft_fail": [{"exit_status": 1}]},
        WRONG_TYPE,
        ("soft_fail", 0, "exit_status"),
        (f'soft_fail exit_status is "1": expected {ANY_STATUS}', "write 1 without quotes"),
    ),
    command(
        {"retry": {"automatic": {"limit": "2"}}},
        {"retry": {"automatic": {"limit": 2}}},
        WRONG_TYPE,
        ("retry", "automatic", "limit"),
        ('retry limit is "2": expected a whole number from 0 to 10', "write 2 without quotes"),
    ),
    command(
        {"retry": {"automatic": [True]}},
        {"retry": {"automatic": []}},
        WRONG_TYPE,
        ("retry", "automatic", 0),
        ('retry is true: expected a mapping of "exit_status", "signal", "signal_reason" and "limit"', ""),
    ),
    command(
        {"concurrency": 1, "concurrency_group": "g", "concurrency_method": True},
        {"concurrency": 1, "concurrency_group": "g"},
        WRONG_TYPE,
        ("concurrency_method",),
        ('concurrency_method is true: expected one of "ordered" and "eager"', ""),
    ),
    command(
        {"secrets": [5]},
        {"secrets": ["s5"]},
        WRONG_TYPE,
        ("secrets", 0),
        ("secrets entry 1 is 5: expected the name of a secret", ""),
    ),
    command(
        {"secrets": [{"key": "s", "environment_variable": 5}]},
        {"secrets": [{"key": "s"}]},
        WRONG_TYPE,
        ("secrets", 0, "environment_variable"),
        ("secrets entry 1 environment_variable is 5: expected the text of a name", 'quote it: "5"'),
    ),
    command(
        {"checkout": {"sparse": {"paths": [AT_UPLOAD]}}},
        {"checkout": {"flags": {"clone": AT_UPLOAD}}},
        UPLOAD_REFERENCE,
        ("checkout", "sparse", "paths", 0),
        (f'checkout sparse paths is "{{{{ upload.NAME }}}}": {NO_UPLOAD}', WRITE_ITSELF),
    ),
    command(
        {"checkout": {"commit_verification": AT_UPLOAD}},
        {"checkout": {"commit_verification": "warn"}},
        UPLOAD_REFERENCE,
        ("checkout", "commit_verification"),
        (f'checkout commit_verification is "{{{{ upload.NAME }}}}": {NO_UPLOAD}', WRITE_ITSELF),
    ),
    command(
        {"secrets": {"A=B": "s"}},
        {"secrets": {"AB": "s"}},
        ENV_NAME,
        ("secrets", "A=B"),
        ('secrets variable is "A=B": expected at least one character and no "="', 'write A: "B"'),
    ),
    command(
        {"checkout": {"sparse": {"paths": [5]}}},
        {"checkout": {"sparse": {"paths": ["5"]}}},
        WRONG_TYPE,
        ("checkout", "sparse", "paths", 0),
        ("checkout sparse paths entry 1 is 5: expected text", 'quote it: "5"'),
    ),
    command(
        {"plugins": [{" ": {}}]},
        {"plugins": [{"./x": {}}]},
        WRONG_TYPE,
        ("plugins", 0, " "),
        ('plugin 1 source is " ": expected text that is not empty', ""),
    ),
    command(
        {"depends_on": "image build"},
        {"depends_on": "image-build"},
        INVALID_KEY,
        ("depends_on",),
        (
            f'depends_on "image build" has the character " ": {KEY_CHARACTERS}',
            'write "image-build"',
        ),
    ),
    command(
        {"notify": [5]},
        {"notify": ["github_check"]},
        WRONG_TYPE,
        ("notify", 0),
        ("notify entry 1 is 5: expected a mapping with one service", ""),
    ),
    command(
        {"notify": [{"slack": {"channels": []}}]},
        {"notify": [{"slack": {"channels": ["#ci"]}}]},
        WRONG_TYPE,
        ("notify", 0, "slack", "channels"),
        ("notify slack channels is an empty list: expected a list of at least one channel", ""),
    ),
    command(
        {"notify": [{"github_check": {"output": {"annotations": {}}}}]},
        {"notify": [{"github_check": {"output": {"annotations": []}}}]},
        WRONG_TYPE,
        ("notify", 0, "github_check", "output", "annotations"),
        ("notify github_check output annotations is an empty mapping: expected a list of annotations", ""),
    ),
    command(
        {"notify": [{"github_check": {"output": {"annotations": ["x"]}}}]},
        {"notify": [{"github_check": {"output": {"annotations": [{"path": "x"}]}}}]},
        WRONG_TYPE,
        ("notify", 0, "github_check", "output", "annotations", 0),
        ('notify github_check output annotations entry 1 is "x": expected a mapping', ""),
    ),
)

MATRIX: tuple[Case, ...] = (
    command(
        {"matrix": {"setup": ["a"], "adjustments": {"with": "b"}}},
        {"matrix": {"setup": ["a"], "adjustments": [{"with": "b"}]}},
        WRONG_TYPE,
        ("matrix", "adjustments"),
        ("matrix adjustments is a mapping: expected a list", ""),
    ),
    command(
        {"matrix": {"setup": {}}},
        {"matrix": {"setup": {"os": ["a"]}}},
        WRONG_TYPE,
        ("matrix", "setup"),
        ("matrix setup is an empty mapping: expected a list of elements or a mapping of dimensions to lists", ""),
    ),
    command(
        {"matrix": {"setup": {"os": "linux"}, "adjustments": [{"with": {"os": "mac"}}]}},
        {"matrix": {"setup": {"os": []}, "adjustments": [{"with": {"os": "mac"}}]}},
        WRONG_TYPE,
        ("matrix", "setup", "os"),
        ('matrix dimension os is "linux": expected a list of elements', 'write ["linux"]'),
    ),
    command(
        {"matrix": {"setup": ["a"], "adjustments": ["b"]}},
        {"matrix": {"setup": ["a"], "adjustments": [{"with": "b", "skip": "later"}]}},
        WRONG_TYPE,
        ("matrix", "adjustments", 0),
        ('adjustment 1 is "b": expected a mapping with "with"', ""),
    ),
    command(
        {"matrix": {"setup": ["a"], "adjustments": [{"skip": True}]}},
        {"matrix": {"setup": ["a"], "adjustments": [{"with": 1, "skip": True}]}},
        MISSING_ATTRIBUTE,
        ("matrix", "adjustments", 0),
        ('adjustment 1 needs "with", the combination that it is about', 'add "with"'),
    ),
    command(
        {"matrix": {"setup": {"os": ["a"]}, "adjustments": [{"with": {"os": 1.5}}]}},
        {"matrix": {"setup": {"os": ["a"]}, "adjustments": [{"with": {"os": "1.5"}}]}},
        MATRIX_ELEMENT,
        ("matrix", "adjustments", 0, "with", "os"),
        (
            "adjustment 1 os is 1.5: expected text, a whole number or a boolean",
            'quote it: "1.5"',
        ),
    ),
    command(
        {"matrix": {"setup": ["a"], "adjustments": [{"with": "b", "retry": {}}]}},
        {"matrix": {"setup": ["{{matrix}}"], "adjustments": [{"with": "b", "skip": "no {{matrix}}"}]}},
        UNKNOWN_ATTRIBUTE,
        ("matrix", "adjustments", 0, "retry"),
        ('"retry" is not an attribute of an adjustment', 'expected one of "with", "skip" and "soft_fail"'),
    ),
    command(
        {"matrix": {"setup": {"n" * 129: ["a"]}}},
        {"matrix": {"setup": {"n" * 128: ["a"]}}},
        MATRIX_LIMIT,
        ("matrix", "setup", "n" * 129),
        (f'matrix dimension "{"n" * 77}..." has 129 bytes: expected at most 128', ""),
    ),
)

OTHERS: tuple[Case, ...] = (
    Case(
        check=check_block_step,
        bad={"type": "block", "label": "Run"},
        good={"type": "block", "block": "Run"},
        code=MISSING_ATTRIBUTE,
        path=(),
        message='a block step needs "block", its label',
        help='add "block"',
    ),
    block(
        {"fields": {"text": "Why", "key": "why"}},
        {"fields": [{"text": "Why", "key": "why"}]},
        WRONG_TYPE,
        ("fields",),
        ("fields is a mapping: expected a list of fields", 'put "- " before each field to make it a list'),
    ),
    field_case(
        {"text": "Why", "key": 5},
        {"text": "Why", "key": "5"},
        WRONG_TYPE,
        ("key",),
        ("field 1 key is 5: expected text", 'quote it: "5"'),
    ),
    field_case(
        {"text": "Why", "key": AT_UPLOAD},
        {"text": AT_UPLOAD, "key": "why"},
        UPLOAD_REFERENCE,
        ("key",),
        (f'field 1 key is "{{{{ upload.NAME }}}}": {NO_UPLOAD}', WRITE_ITSELF),
    ),
    field_case(
        {"select": "Where", "key": "where", "options": []},
        {"select": "Where", "key": "where", "options": [{"label": "Here", "value": ""}]},
        WRONG_TYPE,
        ("options",),
        ("field 1 options is an empty list: expected a list of at least one option", ""),
    ),
    field_case(
        {"select": "Where", "key": "where", "options": [{"label": "Here", "value": "h", "hints": "x"}]},
        {"select": "Where", "key": "where", "options": [{"label": "Here", "value": "h", "hint": "x"}]},
        UNKNOWN_ATTRIBUTE,
        ("options", 0, "hints"),
        ('"hints" is not an attribute of an option', 'did you mean "hint"?'),
    ),
    block(
        {"fields": ["why"]},
        {"fields": []},
        WRONG_TYPE,
        ("fields", 0),
        ('field 1 is "why": expected a mapping with "text" or "select"', ""),
    ),
    pipeline(
        {"steps": [{"group": "G", "steps": {"command": "make"}}]},
        {"steps": [{"group": "G", "steps": [JOB]}]},
        WRONG_TYPE,
        ("steps", 0, "steps"),
        ("steps of a group is a mapping: expected a list of steps", ""),
    ),
    pipeline(
        {"steps": [JOB], "checkout": True},
        {"steps": [JOB], "checkout": {"depth": 5}},
        WRONG_TYPE,
        ("checkout",),
        ("checkout is true: expected a mapping", "write {skip: false}"),
    ),
)

CASES = (*COMMAND, *MATRIX, *OTHERS)
