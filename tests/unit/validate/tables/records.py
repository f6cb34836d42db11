"""Attributes that are mappings or lists: retries, plugins, environment, secrets, checkout, notifications."""

from pipegen.validate.codes import (
    ENV_NAME,
    ENV_VALUE,
    GLOB_SUSPECT,
    GLOB_SYNTAX,
    MISSING_ATTRIBUTE,
    NOTIFY_SERVICE,
    OUT_OF_RANGE,
    PLUGIN_KEYS,
    PLUGINS_AS_MAPPING,
    SECRET_AT_UPLOAD,
    SECRET_IN_ENV,
    SECRET_NAME,
    SPARSE_PATH,
    UNKNOWN_ATTRIBUTE,
    UNKNOWN_WORD,
    UPLOAD_REFERENCE,
    WRONG_TYPE,
)
from tests.unit.validate.tables.attributes import AT_UPLOAD, NO_UPLOAD, WRITE_ITSELF
from tests.unit.validate.tables.case import Case, command

SAFER = 'take it from "secrets" or from the agent; if it is no secret, choose a name without "_TOKEN" at its end'
SERVICES = '"basecamp_campfire", "slack", "github_commit_status" and "github_check"'

RETRY: tuple[Case, ...] = (
    command(
        {"retry": True},
        {"retry": {"automatic": True, "manual": "false"}},
        WRONG_TYPE,
        ("retry",),
        (
            'retry is true: expected a mapping of "automatic" and "manual"',
            "write {automatic: true} or {manual: false}",
        ),
    ),
    command(
        {"retry": {"automatic": [{"exit_status": -1, "limit": 12}]}},
        {"retry": {"automatic": [{"exit_status": -1, "limit": 10}]}},
        OUT_OF_RANGE,
        ("retry", "automatic", 0, "limit"),
        ("retry limit 12 is out of range: expected 0 to 10", ""),
    ),
    command(
        {"retry": {"automatic": {"exit_status": [1, 256]}}},
        {"retry": {"automatic": {"exit_status": [1, 255]}}},
        OUT_OF_RANGE,
        ("retry", "automatic", "exit_status", 1),
        ("retry exit_status 256 is out of range: expected -255 to 255", ""),
    ),
    command(
        {"retry": {"automatic": {"exit_status": "1"}}},
        {"retry": {"automatic": {"exit_status": "*"}}},
        WRONG_TYPE,
        ("retry", "automatic", "exit_status"),
        (
            'retry exit_status is "1": expected "*" or a whole number, or a list of whole numbers',
            "write 1 without quotes",
        ),
    ),
    command(
        {"retry": {"automatic": {"exit_status": []}}},
        {"retry": {"automatic": {"limit": 0}}},
        WRONG_TYPE,
        ("retry", "automatic", "exit_status"),
        (
            'retry exit_status is an empty list: expected "*" or a whole number, or a list that is not empty',
            "",
        ),
    ),
    command(
        {"retry": {"automatic": {"signal_reason": "agent_stopped"}}},
        {"retry": {"automatic": {"signal_reason": ["agent_stop", "none"], "signal": "SIGTERM"}}},
        UNKNOWN_WORD,
        ("retry", "automatic", "signal_reason"),
        (
            'retry signal_reason is "agent_stopped": expected one of "*", "none", "agent_incompatible", '
            '"agent_refused", "agent_stop", "cancel", "process_run_error", "signature_rejected" and "stack_error"',
            'did you mean "agent_stop"?',
        ),
    ),
    command(
        {"retry": {"automatic": {"signal": [""]}}},
        {"retry": {"automatic": {"signal": ["kill", "none"]}}},
        WRONG_TYPE,
        ("retry", "automatic", "signal", 0),
        ('retry signal is "": expected text that is not empty', ""),
    ),
    command(
        {"retry": {"automatic": [{"exit_statuss": 1}]}},
        {"retry": {"automatic": [{"exit_status": 1}]}},
        UNKNOWN_ATTRIBUTE,
        ("retry", "automatic", 0, "exit_statuss"),
        ('"exit_statuss" is not an attribute of a rule of automatic retries', 'did you mean "exit_status"?'),
    ),
    command(
        {"retry": {"manual": {"allow": False}}},
        {"retry": {"manual": {"allowed": False, "reason": "deploys once", "permit_on_passed": True}}},
        UNKNOWN_ATTRIBUTE,
        ("retry", "manual", "allow"),
        ('"allow" is not an attribute of a manual retry', 'did you mean "allowed"?'),
    ),
    command(
        {"retry": {"automatic": 3}},
        {"retry": {}},
        WRONG_TYPE,
        ("retry", "automatic"),
        ("retry automatic is 3: expected true or false, a rule or a list of rules", ""),
    ),
    command(
        {"retry": {"manual": []}},
        {"retry": {"manual": True}},
        WRONG_TYPE,
        ("retry", "manual"),
        (
            "retry manual is an empty list: expected true or false, "
            'or a mapping of "allowed", "permit_on_passed" and "reason"',
            "",
        ),
    ),
    command(
        {"soft_fail": {"exit_status": 1}},
        {"soft_fail": [{"exit_status": 1}, {"exit_status": "*"}]},
        WRONG_TYPE,
        ("soft_fail",),
        (
            "soft_fail is a mapping: expected true or false, or a list of {exit_status: ...}",
            "make it a list with one entry",
        ),
    ),
    command(
        {"soft_fail": [{"exit_status": [1, 2]}]},
        {"soft_fail": True},
        WRONG_TYPE,
        ("soft_fail", 0, "exit_status"),
        (
            'soft_fail exit_status is a list: expected "*" or a whole number',
            "write one entry of soft_fail for each exit status",
        ),
    ),
    command(
        {"soft_fail": [{}]},
        {"soft_fail": "false"},
        MISSING_ATTRIBUTE,
        ("soft_fail", 0),
        ('a rule of soft_fail needs "exit_status"', 'add "exit_status"'),
    ),
)

PLUGINS: tuple[Case, ...] = (
    command(
        {"plugins": [{"docker#v5.11.0": None, "image": "ubuntu"}]},
        {"plugins": ["./local", {"docker#v5.11.0": {"image": "ubuntu"}}]},
        PLUGIN_KEYS,
        ("plugins", 0),
        (
            'plugin 1 has the keys "docker#v5.11.0" and "image": expected one key, its source',
            "indent its settings below the source, or begin another entry",
        ),
    ),
    command(
        {"plugins": [{}]},
        {"plugins": []},
        PLUGIN_KEYS,
        ("plugins", 0),
        ("plugin 1 has no key: expected one key, its source", ""),
    ),
    command(
        {"plugins": {"docker#v5.11.0": {"image": "ubuntu"}}},
        {"plugins": [{"docker#v5.11.0": {"image": "ubuntu"}}]},
        PLUGINS_AS_MAPPING,
        ("plugins",),
        (
            "plugins is a mapping, a deprecated form: expected a list",
            'put "- " before each plugin to make it a list',
        ),
    ),
    command(
        {"plugins": [["docker#v5.11.0"]]},
        {"plugins": ["docker#v5.11.0"]},
        WRONG_TYPE,
        ("plugins", 0),
        ("plugin 1 is a list: expected the text of a source or a mapping with one source", ""),
    ),
    command(
        {"plugins": "docker#v5.11.0"},
        {"plugins": ["docker#v5.11.0"]},
        WRONG_TYPE,
        ("plugins",),
        ('plugins is "docker#v5.11.0": expected a list of plugins', 'put "- " before it to make it a list'),
    ),
)

ENVIRONMENT: tuple[Case, ...] = (
    command(
        {"env": ["A=1"]},
        {"env": {"A": "1"}},
        WRONG_TYPE,
        ("env",),
        ("env is a list: expected a mapping of names to texts", "write {NAME: value}"),
    ),
    command(
        {"env": {"PYTHON": 3.10}},
        {"env": {"PYTHON": "3.10"}},
        ENV_VALUE,
        ("env", "PYTHON"),
        ("env PYTHON is 3.1: expected text", 'quote it: "3.1"'),
    ),
    command(
        {"env": {"EMPTY": None}},
        {"env": {"EMPTY": ""}},
        ENV_VALUE,
        ("env", "EMPTY"),
        ("env EMPTY is null: expected text", 'write "" for an empty value, or leave the variable out'),
    ),
    command(
        {"env": {"A=1": "2"}},
        {"env": {"A": "1=2"}},
        ENV_NAME,
        ("env", "A=1"),
        (
            'the name of an environment variable is "A=1": expected at least one character and no "="',
            'write A: "1"',
        ),
    ),
    command(
        {"env": {AT_UPLOAD: "1"}},
        {"env": {"NAME": AT_UPLOAD}},
        UPLOAD_REFERENCE,
        ("env", AT_UPLOAD),
        (f'the name of an environment variable is "{{{{ upload.NAME }}}}": {NO_UPLOAD}', WRITE_ITSELF),
    ),
    command(
        {"env": {"CACHE_TOKEN": "main-7"}},
        {"env": {"CACHE_TOKEN": "main7", "CACHE_TOKENS": "main-7", "HF_TOKEN": "${HF_TOKEN}"}},
        SECRET_IN_ENV,
        ("env", "CACHE_TOKEN"),
        ("CACHE_TOKEN has a literal value under the name of a secret, which agents from v4 on reject", SAFER),
    ),
    command(
        {"env": {"HF_TOKEN": AT_UPLOAD}},
        {"env": {"HF_TOKEN": "$NAME"}},
        SECRET_AT_UPLOAD,
        ("env", "HF_TOKEN"),
        (
            'HF_TOKEN is filled in at upload with "{{ upload.NAME }}", which agents from v4 on reject as a secret',
            SAFER,
        ),
    ),
    command(
        {"secrets": "DEPLOY_KEY"},
        {"secrets": ["DEPLOY_KEY", {"key": "deploy", "environment_variable": "BUILDKITE_API_TOKEN"}]},
        WRONG_TYPE,
        ("secrets",),
        (
            'secrets is "DEPLOY_KEY": expected a list of secrets or a mapping of variables to secrets',
            "write [DEPLOY_KEY]",
        ),
    ),
    command(
        {"secrets": ["deploy-key"]},
        {"secrets": ["deploy_key"]},
        SECRET_NAME,
        ("secrets", 0),
        (
            'secrets entry 1 "deploy-key" is no name of a secret: expected 1 to 255 letters, digits and "_"',
            "",
        ),
    ),
    command(
        {"secrets": {"KEY": "BuildKite_key"}},
        {"secrets": {"KEY": "key"}},
        SECRET_NAME,
        ("secrets", "KEY"),
        (
            'secrets KEY "BuildKite_key" is no name of a secret: '
            'names that begin with "buildkite" or "bk" are reserved',
            "",
        ),
    ),
    command(
        {"secrets": {"BUILDKITE_KEY": "key"}},
        {"secrets": {"BUILDKITE_ANALYTICS_TOKEN": "key"}},
        SECRET_NAME,
        ("secrets", "BUILDKITE_KEY"),
        (
            'secrets variable "BUILDKITE_KEY" cannot be set from a secret: '
            'names that begin with "BUILDKITE" or "BK" are reserved',
            "",
        ),
    ),
    command(
        {"secrets": [AT_UPLOAD]},
        {"secrets": []},
        UPLOAD_REFERENCE,
        ("secrets", 0),
        (f'secrets entry 1 is "{{{{ upload.NAME }}}}": {NO_UPLOAD}', WRITE_ITSELF),
    ),
)

CHECKOUT: tuple[Case, ...] = (
    command(
        {"checkout": False},
        {"checkout": {"skip": True}},
        WRONG_TYPE,
        ("checkout",),
        ("checkout is false: expected a mapping", "write {skip: true}"),
    ),
    command(
        {"checkout": {"submodules": "false"}},
        {"checkout": {"submodules": False, "lfs": True, "flags": {"clone": "--depth 1"}}},
        WRONG_TYPE,
        ("checkout", "submodules"),
        ('checkout submodules is "false": expected true or false', "write false without quotes"),
    ),
    command(
        {"checkout": {"depth": 0}},
        {"checkout": {"depth": 1}},
        OUT_OF_RANGE,
        ("checkout", "depth"),
        ("checkout depth 0 is out of range: expected 1 or more", ""),
    ),
    command(
        {"checkout": {"sparse": {"paths": "docs,src"}}},
        {"checkout": {"sparse": {"paths": ["docs", "src"]}}},
        SPARSE_PATH,
        ("checkout", "sparse", "paths"),
        (
            'sparse checkout path "docs,src": expected text without "," and without "-" at its beginning',
            "write a list with one path in each entry",
        ),
    ),
    command(
        {"checkout": {"commit_verification": "loose"}},
        {"checkout": {"commit_verification": "strict"}},
        UNKNOWN_WORD,
        ("checkout", "commit_verification"),
        (
            'checkout commit_verification is "loose": expected one of "strict", "warn" and "off"',
            "",
        ),
    ),
    command(
        {"checkout": {"ssh_secret": "_key"}},
        {"checkout": {"ssh_secret": "key_1"}},
        WRONG_TYPE,
        ("checkout", "ssh_secret"),
        ('checkout ssh_secret is "_key": expected the name of a secret that begins with a letter', ""),
    ),
    command(
        {"checkout": {"flags": {"fetch": True}}},
        {"checkout": {"flags": {"fetch": "--prune"}}},
        WRONG_TYPE,
        ("checkout", "flags", "fetch"),
        ("checkout flags fetch is true: expected text", 'quote it: "true"'),
    ),
    command(
        {"cache": {"paths": ["~/.cache"], "size": "20GB"}},
        {"cache": {"paths": ["~/.cache"], "size": "20g", "name": "pip"}},
        WRONG_TYPE,
        ("cache", "size"),
        ('cache size is "20GB": expected text like "20g"', ""),
    ),
    command(
        {"cache": {"name": "pip"}},
        {"cache": "~/.cache"},
        MISSING_ATTRIBUTE,
        ("cache",),
        ('a cache needs "paths"', 'add "paths"'),
    ),
    command(
        {"cache": True},
        {"cache": False},
        WRONG_TYPE,
        ("cache",),
        (
            "cache is true: expected text or a list of texts, a mapping with paths, or false",
            'quote it: "true"',
        ),
    ),
)

NOTIFY: tuple[Case, ...] = (
    command(
        {"notify": [{"email": "ci@example.com"}]},
        {"notify": ["github_check", {"github_commit_status": {"context": "ci/build"}}]},
        NOTIFY_SERVICE,
        ("notify", 0, "email"),
        (
            f'notify entry 1 names "email": expected one of {SERVICES}',
            "move it to the notify of the whole build",
        ),
    ),
    command(
        {"notify": [{"slack": "#ci", "basecamp_campfire": "https://example.com/x"}]},
        {"notify": [{"slack": "#ci"}, {"basecamp_campfire": "https://example.com/x"}]},
        NOTIFY_SERVICE,
        ("notify", 0),
        (
            'notify entry 1 names "slack" and "basecamp_campfire": expected exactly one of ' + SERVICES,
            "make an entry of each",
        ),
    ),
    command(
        {"notify": ["slack"]},
        {"notify": ["github_commit_status"]},
        NOTIFY_SERVICE,
        ("notify", 0),
        (f'notify entry 1 is "slack": expected one of {SERVICES}', "write {slack: ...}"),
    ),
    command(
        {"notify": [{"slack": None}]},
        {"notify": [{"slack": {"channels": ["#ci", "@me"], "message": "done"}}]},
        WRONG_TYPE,
        ("notify", 0, "slack"),
        (
            'notify slack is null: expected a channel or a mapping of "channels" and "message"',
            'quote a channel: "#name"',
        ),
    ),
    command(
        {"notify": [{"slack": {"channels": ["#ci builds"]}}]},
        {"notify": [{"slack": {"channels": ["#ci-builds"]}, "if": 'step.outcome == "hard_failed"'}]},
        WRONG_TYPE,
        ("notify", 0, "slack", "channels", 0),
        (
            'notify slack channels entry 1 is "#ci builds": expected a channel or user without spaces, like "#ci"',
            "",
        ),
    ),
    command(
        {"notify": [{"github_check": {"output": {"annotations": [{"annotation_level": "error"}]}}}]},
        {"notify": [{"github_check": {"output": {"annotations": [{"annotation_level": "failure"}]}}}]},
        UNKNOWN_WORD,
        ("notify", 0, "github_check", "output", "annotations", 0, "annotation_level"),
        ('annotation_level is "error": expected one of "notice", "warning" and "failure"', ""),
    ),
    command(
        {"notify": {"slack": "#ci"}},
        {"notify": []},
        WRONG_TYPE,
        ("notify",),
        ("notify is a mapping: expected a list of services", 'put "- " before it to make it a list'),
    ),
)

IF_CHANGED: tuple[Case, ...] = (
    command(
        {"if_changed": {"exclude": "docs/**"}},
        {"if_changed": {"include": "**", "exclude": ["docs/**", "**/*.md"]}},
        MISSING_ATTRIBUTE,
        ("if_changed",),
        ('if_changed needs "include"', 'add "include"'),
    ),
    command(
        {"if_changed": ["src/{a,[b}"]},
        {"if_changed": ["src/{a,[b]}", f"src/{AT_UPLOAD}{{"]},
        GLOB_SYNTAX,
        ("if_changed", 0),
        (
            'if_changed entry 1 "src/{a,[b}" has a "[" at character 8 that is never closed',
            'close it with "]", or write "\\[" for the character itself',
        ),
    ),
    command(
        {"if_changed": "./src/**"},
        {"if_changed": f"./{AT_UPLOAD}/"},
        GLOB_SUSPECT,
        ("if_changed",),
        (
            'if_changed "./src/**" begins with "./" and matches no file: paths begin at the top of the repository',
            'write "src/**"',
        ),
    ),
    command(
        {"if_changed": "src/"},
        {"if_changed": "src/**"},
        GLOB_SUSPECT,
        ("if_changed",),
        ('if_changed "src/" ends with a slash and matches no file', 'write "src/**" for everything below'),
    ),
    command(
        {"if_changed": "**.go,go.mod"},
        {"if_changed": "{**.go,go.mod}"},
        GLOB_SUSPECT,
        ("if_changed",),
        (
            'if_changed "**.go,go.mod" has a comma outside braces, which is part of the name',
            'write "{**.go,go.mod}" or a list',
        ),
    ),
    command(
        {"if_changed": "v[0-9]"},
        {"if_changed": "v[0123456789]"},
        GLOB_SUSPECT,
        ("if_changed",),
        (
            'if_changed "v[0-9]" has "[0-9]", where "-" is one of the characters and no range',
            "list all characters",
        ),
    ),
    command(
        {"if_changed": "v[!x]"},
        {"if_changed": "v[^x-]"},
        GLOB_SUSPECT,
        ("if_changed",),
        (
            'if_changed "v[!x]" has "[!x]", where "!" is one of the characters',
            'write "[^x]" for any other',
        ),
    ),
    command(
        {"if_changed": {"include": "**", "exclude": "!docs/**"}},
        {"if_changed": {"include": "**", "exclude": []}},
        GLOB_SUSPECT,
        ("if_changed", "exclude"),
        (
            'if_changed exclude "!docs/**" begins with "!", which negates nothing here',
            'put "docs/**" into "exclude"',
        ),
    ),
    command(
        {"if_changed": []},
        {"if_changed": ["**"]},
        GLOB_SUSPECT,
        ("if_changed",),
        (
            "if_changed is an empty list, which matches no file: the step is always skipped",
            "leave it out to run always",
        ),
    ),
    command(
        {"if_changed": ""},
        {"if_changed": "**"},
        GLOB_SUSPECT,
        ("if_changed",),
        ('if_changed "" is empty and matches no file', 'write "**" for every file'),
    ),
    command(
        {"if_changed": None},
        {},
        WRONG_TYPE,
        ("if_changed",),
        (
            'if_changed is null: expected a glob, a list of globs, or a mapping of "include" and "exclude"',
            "",
        ),
    ),
)

CASES = (*RETRY, *PLUGINS, *ENVIRONMENT, *CHECKOUT, *NOTIFY, *IF_CHANGED)
