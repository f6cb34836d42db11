"""Attributes of a command step that have a form of their own."""

from pipegen.validate.codes import (
    ALIAS_TWICE,
    BRANCHES_WITH_IF,
    CONCURRENCY_INCOMPLETE,
    GLOB_SYNTAX,
    INVALID_CHARACTER,
    INVALID_KEY,
    LONG_CONCURRENCY_GROUP,
    LONG_LABEL,
    LONG_MAPPING_KEY,
    LONG_SKIP,
    MISSING_ATTRIBUTE,
    NO_COMMAND,
    NOT_PLAIN,
    OUT_OF_RANGE,
    QUEUE_NAME,
    SIGNATURE,
    STEP_TYPE,
    UNKNOWN_ATTRIBUTE,
    UNKNOWN_WORD,
    UPLOAD_REFERENCE,
    WRONG_TYPE,
)
from tests.unit.validate.tables.case import Case, command

AT_UPLOAD = "\ufdd0NAME\ufdd1"
UUID = "0191B8E5-aaaa-bbbb-cccc-0123456789ab"
KEY_CHARACTERS = 'expected letters, digits and any of "_-:.,"'
NO_UPLOAD = "a value that is known only at upload cannot stand here"
WRITE_ITSELF = "write the value itself, or take it from a variable that pipegen knows"

NAMES: tuple[Case, ...] = (
    command(
        {"timeout_in_minuts": 5},
        {"timeout_in_minutes": 5},
        UNKNOWN_ATTRIBUTE,
        ("timeout_in_minuts",),
        (
            '"timeout_in_minuts" is not an attribute of a command step',
            'did you mean "timeout_in_minutes"?',
        ),
    ),
    command(
        {"prompt": "Really?"},
        {},
        UNKNOWN_ATTRIBUTE,
        ("prompt",),
        ('"prompt" is not an attribute of a command step', "it belongs to a block or input step"),
    ),
    command(
        {"xyzzy": 1},
        {},
        UNKNOWN_ATTRIBUTE,
        ("xyzzy",),
        (
            '"xyzzy" is not an attribute of a command step',
            "take it out: Buildkite rejects the whole upload",
        ),
    ),
    command(
        {"block": "Stop"},
        {},
        STEP_TYPE,
        ("block",),
        ('a command step cannot have "block", which makes a block step', "make a step of each"),
    ),
    command(
        {"type": "commands"},
        {"type": "command"},
        STEP_TYPE,
        ("type",),
        (
            'the type of a command step is "commands": expected one of "command" and "script"',
            "leave the type out",
        ),
    ),
    command(
        {"id": "make"},
        {},
        ALIAS_TWICE,
        ("id",),
        ('"key" and "id" are two names of one attribute', 'keep "key" alone'),
    ),
    command(
        {"name": "One", "label": "Two"},
        {"label": "Two"},
        ALIAS_TWICE,
        ("label",),
        ('"name" and "label" are two names of one attribute', 'keep "label" alone'),
    ),
    command(
        {"commands": ["make"]},
        {},
        ALIAS_TWICE,
        ("commands",),
        ('"command" and "commands" are two names of one attribute', 'keep "command" alone'),
    ),
    command(
        {"timeout": 5, "timeout_in_minutes": 5},
        {"timeout": 5},
        ALIAS_TWICE,
        ("timeout_in_minutes",),
        (
            '"timeout" and "timeout_in_minutes" are two names of one attribute',
            'keep "timeout_in_minutes" alone',
        ),
    ),
    command(
        {"signature": {"value": "abc"}},
        {},
        SIGNATURE,
        ("signature",),
        (
            "signature cannot be written by hand: the agent signs steps when it uploads them",
            "take it out",
        ),
    ),
)

KEYS: tuple[Case, ...] = (
    command(
        {"key": "spec decode/eagle+mtp"},
        {"key": "spec-decode:eagle.mtp,1_2"},
        INVALID_KEY,
        ("key",),
        (
            f'key "spec decode/eagle+mtp" has the character " ": {KEY_CHARACTERS}',
            'write "spec-decode-eagle-mtp"',
        ),
    ),
    command(
        {"key": ""},
        {},
        INVALID_KEY,
        ("key",),
        ('key "" is empty: expected 1 to 100 characters', "name the step or leave the attribute out"),
    ),
    command(
        {"key": "k" * 101},
        {"key": "k" * 100},
        INVALID_KEY,
        ("key",),
        (f'key "{"k" * 77}..." has 101 characters: expected at most 100', "shorten it"),
    ),
    command(
        {"key": UUID},
        {"key": f"step-{UUID}"},
        INVALID_KEY,
        ("key",),
        (
            f'key "{UUID}" has the pattern of a UUID, which names jobs, never steps',
            f'write "step-{UUID}"',
        ),
    ),
    command(
        {"key": f"build-{AT_UPLOAD}"},
        {"label": f"build-{AT_UPLOAD}"},
        UPLOAD_REFERENCE,
        ("key",),
        (f'key is "build-{{{{ upload.NAME }}}}": {NO_UPLOAD}', WRITE_ITSELF),
    ),
    command({"key": 7}, {"key": "7"}, WRONG_TYPE, ("key",), ("key is 7: expected text", 'quote it: "7"')),
    command(
        {"label": "x" * 256},
        {"label": "x" * 255},
        LONG_LABEL,
        ("label",),
        ("label has 256 characters: expected at most 255", "shorten it"),
    ),
    command(
        {"depends_on": {"step": "image"}},
        {"depends_on": [{"step": "image", "allow_failure": "true"}]},
        WRONG_TYPE,
        ("depends_on",),
        (
            "depends_on is a mapping: expected a key, a list or null",
            "make it a list with one entry",
        ),
    ),
    command(
        {"depends_on": ["image", "image build"]},
        {"depends_on": ["image", "image-build"]},
        INVALID_KEY,
        ("depends_on", 1),
        (
            f'depends_on entry 2 "image build" has the character " ": {KEY_CHARACTERS}',
            'write "image-build"',
        ),
    ),
    command(
        {"depends_on": [["image"]]},
        {"depends_on": []},
        WRONG_TYPE,
        ("depends_on", 0),
        ("depends_on entry 1 is a list: expected the text of a key or a mapping with a step", ""),
    ),
    command(
        {"depends_on": [{"allow_failure": True}]},
        {"depends_on": None},
        MISSING_ATTRIBUTE,
        ("depends_on", 0),
        ('depends_on entry 1 needs "step", the key of the step to wait for', 'add "step"'),
    ),
    command(
        {"depends_on": [{"step": "image", "allow_failur": True}]},
        {"depends_on": "image"},
        UNKNOWN_ATTRIBUTE,
        ("depends_on", 0, "allow_failur"),
        ('"allow_failur" is not an attribute of a dependency', 'did you mean "allow_failure"?'),
    ),
    command(
        {"depends_on": [{"step": AT_UPLOAD}]},
        {"depends_on": [{"step": "image"}]},
        UPLOAD_REFERENCE,
        ("depends_on", 0, "step"),
        (f'depends_on entry 1 is "{{{{ upload.NAME }}}}": {NO_UPLOAD}', WRITE_ITSELF),
    ),
)

COMMANDS: tuple[Case, ...] = (
    command(
        {"command": " \n"},
        {"command": "", "plugins": ["docker#v5"]},
        NO_COMMAND,
        ("command",),
        ("command is empty: expected a command or plugins", 'add "commands"'),
    ),
    command(
        {"command": ["", ""]},
        {"command": ["", "make"]},
        NO_COMMAND,
        ("command",),
        ("command is empty: expected a command or plugins", 'add "commands"'),
    ),
    command(
        {"command": None},
        {},
        WRONG_TYPE,
        ("command",),
        ("command is null: expected text or a list of texts", ""),
    ),
    command(
        {"command": ["make", {"echo a": "b"}]},
        {"command": ["make", "echo a: b"]},
        WRONG_TYPE,
        ("command", 1),
        (
            "command entry 2 is a mapping: expected text",
            "quote it: an unquoted colon followed by a space makes a mapping",
        ),
    ),
    command(
        {"command": [1.5]},
        {"command": ["1.50"]},
        WRONG_TYPE,
        ("command", 0),
        ("command entry 1 is 1.5: expected text", 'quote it: "1.5"'),
    ),
    command(
        {"command": "printf 'a\0b'"},
        {"command": r"printf 'a\0b'"},
        INVALID_CHARACTER,
        ("command",),
        (
            "character 10 of the text is a NUL, which ends every text in a process",
            "take the NUL out",
        ),
    ),
    command(
        {"label": "\ud83d"},
        {"label": "\U0001f680"},
        INVALID_CHARACTER,
        ("label",),
        (
            "character 1 of the text is U+D83D, half of a surrogate pair",
            "write the whole character",
        ),
    ),
    command(
        {"plugins": [{"docker#v5": {"x" * 1001: 1}}]},
        {"plugins": [{"docker#v5": {"x" * 1000: 1}}]},
        LONG_MAPPING_KEY,
        ("plugins", 0, "docker#v5", "x" * 1001),
        (f'the mapping key "{"x" * 77}..." has 1001 characters: expected at most 1000', ""),
    ),
    command(
        {"plugins": [{"docker#v5": {"memory": float("inf")}}]},
        {"plugins": [{"docker#v5": {"memory": "inf"}}]},
        NOT_PLAIN,
        ("plugins", 0, "docker#v5", "memory"),
        ("the number inf has no place in a pipeline: expected a finite number", ""),
    ),
)

NUMBERS: tuple[Case, ...] = (
    command(
        {"timeout_in_minutes": "30"},
        {"timeout_in_minutes": 30},
        WRONG_TYPE,
        ("timeout_in_minutes",),
        (
            'timeout_in_minutes is "30": expected a whole number of at least 1',
            "write 30 without quotes",
        ),
    ),
    command(
        {"timeout_in_minutes": AT_UPLOAD},
        {"timeout_in_minutes": 1},
        UPLOAD_REFERENCE,
        ("timeout_in_minutes",),
        (f'timeout_in_minutes is "{{{{ upload.NAME }}}}": {NO_UPLOAD}', WRITE_ITSELF),
    ),
    command(
        {"parallelism": 0},
        {"parallelism": 1},
        OUT_OF_RANGE,
        ("parallelism",),
        ("parallelism 0 is out of range: expected 1 or more", ""),
    ),
    command(
        {"timeout": -5},
        {"timeout": 5},
        OUT_OF_RANGE,
        ("timeout",),
        ("timeout -5 is out of range: expected 1 or more", ""),
    ),
    command(
        {"priority": True},
        {"priority": -1},
        WRONG_TYPE,
        ("priority",),
        ("priority is true: expected a whole number", ""),
    ),
    command(
        {"priority": 1.0},
        {"priority": 1},
        WRONG_TYPE,
        ("priority",),
        ("priority is 1.0: expected a whole number", ""),
    ),
    command(
        {"concurrency": 1},
        {"concurrency": 1, "concurrency_group": "deploy"},
        CONCURRENCY_INCOMPLETE,
        ("concurrency",),
        ("concurrency has no effect without concurrency_group", 'add "concurrency_group"'),
    ),
    command(
        {"concurrency_group": "deploy"},
        {"concurrency_group": "deploy", "concurrency": 2, "concurrency_method": "eager"},
        CONCURRENCY_INCOMPLETE,
        ("concurrency_group",),
        ("concurrency_group has no effect without concurrency", 'add "concurrency"'),
    ),
    command(
        {"concurrency_method": "ordered"},
        {},
        CONCURRENCY_INCOMPLETE,
        ("concurrency_method",),
        (
            "concurrency_method has no effect without concurrency and concurrency_group",
            'add "concurrency"',
        ),
    ),
    command(
        {"concurrency": 1, "concurrency_group": "g" * 201},
        {"concurrency": 1, "concurrency_group": "g" * 200 + AT_UPLOAD},
        LONG_CONCURRENCY_GROUP,
        ("concurrency_group",),
        ("concurrency_group has 201 characters: expected at most 200", "shorten it"),
    ),
    command(
        {"concurrency": 1, "concurrency_group": "g", "concurrency_method": "Eager"},
        {"concurrency": 1, "concurrency_group": "g", "concurrency_method": "ordered"},
        UNKNOWN_WORD,
        ("concurrency_method",),
        (
            'concurrency_method is "Eager": expected one of "ordered" and "eager"',
            'did you mean "eager"?',
        ),
    ),
)

PLACES: tuple[Case, ...] = (
    command(
        {"agents": "gpu"},
        {"agents": {"queue": "gpu"}},
        WRONG_TYPE,
        ("agents",),
        (
            'agents is "gpu": expected a mapping of tags or a list of "tag=value"',
            "write {queue: gpu}",
        ),
    ),
    command(
        {"agents": ["gpu"]},
        {"agents": ["queue=gpu", "os=linux"]},
        WRONG_TYPE,
        ("agents", 0),
        ('agents entry 1 is "gpu": expected text of the form "tag=value"', 'write "queue=gpu"'),
    ),
    command(
        {"agents": {"cuda": 12.10}},
        {"agents": {"cuda": "12.10", "gpus": 2, "docker": True}},
        WRONG_TYPE,
        ("agents", "cuda"),
        ("agents tag cuda is 12.1: expected text", 'quote it: "12.1"'),
    ),
    command(
        {"agents": {"queue": "gpu queue"}},
        {"agents": {"queue": "gpu_1-queue"}},
        QUEUE_NAME,
        ("agents", "queue"),
        (
            'queue "gpu queue" is no key of a queue: expected 1 to 100 letters, digits, "-" and "_"',
            "",
        ),
    ),
    command(
        {"agent_query_rules": ["queue=gpu.1"]},
        {"agent_query_rules": ["queue=*"]},
        QUEUE_NAME,
        ("agent_query_rules", 0),
        ('queue "gpu.1" is no key of a queue: expected 1 to 100 letters, digits, "-" and "_"', ""),
    ),
    command(
        {"branches": 5},
        {"branches": ["main", "release/*"]},
        WRONG_TYPE,
        ("branches",),
        ("branches is 5: expected text or a list of texts", 'quote it: "5"'),
    ),
    command(
        {"branches": "main", "if": "build.tag == null"},
        {"branches": "main !wip/*"},
        BRANCHES_WITH_IF,
        ("branches",),
        (
            '"branches" and "if" exclude each other on one step',
            'write the branches into the "if", as in build.branch == "main" && ...',
        ),
    ),
    command(
        {"artifact_paths": "logs/*.txt;logs/{a,b"},
        {"artifact_paths": "logs/*.txt;logs/{a,b}"},
        GLOB_SYNTAX,
        ("artifact_paths",),
        (
            'artifact_paths "logs/{a,b" has a "{" at character 6 that is never closed',
            'close it with "}", or write "\\{" for the character itself',
        ),
    ),
    command(
        {"artifacts": ["logs/[ab"]},
        {"artifacts": ["logs/[ab]", f"{AT_UPLOAD}/[ab"]},
        GLOB_SYNTAX,
        ("artifacts", 0),
        (
            'artifacts "logs/[ab" has a "[" at character 6 that is never closed',
            'close it with "]", or write "\\[" for the character itself',
        ),
    ),
    command(
        {"image": ""},
        {"image": "ubuntu:24.04"},
        WRONG_TYPE,
        ("image",),
        ('image is "": expected text that is not empty', ""),
    ),
    command(
        {"cancel_on_build_failing": "yes"},
        {"cancel_on_build_failing": "true"},
        WRONG_TYPE,
        ("cancel_on_build_failing",),
        (
            'cancel_on_build_failing is "yes": expected true or false',
            "write true without quotes",
        ),
    ),
    command(
        {"allow_dependency_failure": AT_UPLOAD},
        {"allow_dependency_failure": False},
        UPLOAD_REFERENCE,
        ("allow_dependency_failure",),
        (f'allow_dependency_failure is "{{{{ upload.NAME }}}}": {NO_UPLOAD}', WRITE_ITSELF),
    ),
    command(
        {"skip": "s" * 71},
        {"skip": "s" * 70},
        LONG_SKIP,
        ("skip",),
        ("the reason for skip has 71 characters: expected at most 70", "shorten it"),
    ),
    command(
        {"skip": 1},
        {"skip": ""},
        WRONG_TYPE,
        ("skip",),
        ("skip is 1: expected true or false, or the text of a reason", 'quote it: "1"'),
    ),
)

CASES = (*NAMES, *KEYS, *COMMANDS, *NUMBERS, *PLACES)
