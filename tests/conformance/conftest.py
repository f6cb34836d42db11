"""The fleet, imported once for all tests."""

from pathlib import Path

import pytest

from tests.conformance.fleet import Fleet


@pytest.fixture(scope="session")
def fleet(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    """The fleet of the corpus."""
    return Fleet(corpus=corpus, folder=tmp_path_factory.mktemp("fleet"))
