"""What counts as a secret, and text without it."""

import json

from pipegen.emit.json import to_json
from pipegen.plain import show
from pipegen.report.secrets import redacted, secrets_of


def test_secrets_are_what_the_agent_takes_for_some() -> None:
    environment = {"A_TOKEN": "abcdef", "B_PASSWORD": "abcdef-longer", "C_TOKEN": "short", "TOKENS": "not-a-secret"}
    secrets = secrets_of(environment)
    assert secrets == ("abcdef-longer", "abcdef")
    assert redacted("x abcdef-longer abcdef short", secrets) == "x [REDACTED] [REDACTED] short"


def test_secrets_are_what_the_agent_is_told_to_take_for_some() -> None:
    environment = {"MY_DSN": "abcdef", "DSN": "ghijkl", "BUILDKITE_REDACTED_VARS": "*_DSN, ,*_TOKEN"}
    assert secrets_of(environment) == ("abcdef",)


def test_secrets_are_found_as_json_spells_them() -> None:
    secret = 'BEGIN\n"quoted" and \\ and é\nEND'
    secrets = secrets_of({"A_PRIVATE_KEY": secret})
    text = to_json({"steps": [{"command": f"x {secret} y"}]})
    assert json.loads(redacted(text, secrets)) == {"steps": [{"command": "x [REDACTED] y"}]}


def test_what_is_left_of_a_cut_secret_is_hidden() -> None:
    secrets = secrets_of({"A_TOKEN": "hunter2-" * 20})
    for length in (1, 70, 77, 100):
        value = "x" * length + "hunter2-" * 20
        assert "hunter" not in redacted(f"{show(value)} and ... {show(value)}", secrets)
    assert redacted("to be continued... or not...", secrets) == "to be continued... or not..."
