"""What is written is what is read, by everyone, types and the order of keys included."""

import pytest
from hypothesis import given, settings

from pipegen.emit.json import to_json
from pipegen.emit.yaml import to_yaml
from pipegen.plain import Plain
from tests.support.readers import YAML_READERS, Reader, json_reader, same
from tests.support.trees import trees


@pytest.mark.parametrize("read", YAML_READERS)
@settings(deadline=None, max_examples=200)
@given(tree=trees())
def test_yaml_reads_back(read: Reader, tree: Plain) -> None:
    text = to_yaml(tree)
    assert same(read(text), tree), text


@pytest.mark.parametrize("read", [json_reader, *YAML_READERS])
@settings(deadline=None, max_examples=200)
@given(tree=trees())
def test_json_reads_back(read: Reader, tree: Plain) -> None:
    text = to_json(tree)
    assert same(read(text), tree), text


@settings(deadline=None)
@given(tree=trees())
def test_documents_are_tidy(tree: Plain) -> None:
    """A last newline, no carriage returns, nothing but spaces and tabs for white space, no invisible line ends."""
    for text in (to_yaml(tree), to_json(tree)):
        assert text.endswith("\n")
        assert not set(text) & set("\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
        assert not [line for line in text.split("\n") if line.endswith((" ", "\t"))]
