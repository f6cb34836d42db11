"""Names and values that an agent takes for secrets, by its own patterns and its own exception."""

import pytest

from pipegen.validate.codes import SECRET_IN_ENV
from pipegen.validate.environment import check_env


@pytest.mark.parametrize(
    "name",
    [
        "DB_PASSWORD",
        "APP_SECRET",
        "CACHE_TOKEN",
        "_TOKEN",
        "TLS_PRIVATE_KEY",
        "DEPLOY_SSH_KEY",
        "AWS_ACCESS_KEY",
        "AWS_SECRET_KEY",
        "DB_CONNECTION_STRING",
        "MAPS_API_KEY",
    ],
)
def test_names_of_secrets(name: str) -> None:
    assert [problem.code for problem in check_env({name: "secret"}, ("env",), "env")] == [SECRET_IN_ENV]


@pytest.mark.parametrize(
    "name", ["TOKEN", "cache_token", "CACHE_TOKENS", "CACHE_TOKEN_2", "KEY", "PUBLIC_KEY", "a/b_TOKEN"]
)
def test_other_names(name: str) -> None:
    assert list(check_env({name: "secret"}, ("env",), "env")) == []


@pytest.mark.parametrize(
    "value", ["", "short", "éé", "$A", "$SOURCE_TOKEN", "${SOURCE_TOKEN}", "${SOURCE:-}", "$A$B", "${É1_}"]
)
def test_values_that_are_no_secret(value: str) -> None:
    assert list(check_env({"MY_TOKEN": value}, ("env",), "env")) == []


@pytest.mark.parametrize(
    "value",
    ["secret", "ééé", "$SOURCE-1", "x$SOURCE", "${SOURCE:-literal}", "$_SOURCE", "$$SOURCE", "\ufdd0A\ufdd1-tail"],
)
def test_values_that_are_secrets(value: str) -> None:
    assert [problem.code for problem in check_env({"MY_TOKEN": value}, ("env",), "env")] == [SECRET_IN_ENV]
