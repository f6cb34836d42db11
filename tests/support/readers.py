"""Readers of YAML and JSON that are not pipegen's, and equality that minds types and order."""

import json
import math
from collections.abc import Callable, Mapping, Sequence

import yaml
from ruamel.yaml import YAML

Reader = Callable[[str], object]


def libyaml(text: str) -> object:
    """YAML 1.1, in C."""
    return yaml.load(text, yaml.CSafeLoader)


def pyyaml(text: str) -> object:
    """YAML 1.1, in Python."""
    return yaml.safe_load(text)


def ruamel(text: str) -> object:
    """YAML 1.2, in Python."""
    read: object = YAML(typ="safe", pure=True).load(text)
    return read


def json_reader(text: str) -> object:
    """JSON alone."""
    read: object = json.loads(text)
    return read


YAML_READERS: tuple[Reader, ...] = (libyaml, pyyaml, ruamel)


def same(left: object, right: object) -> bool:
    """Whether two trees are alike: types, the order of keys and the sign of zero included."""
    if type(left) is not type(right):
        return False
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return list(left) == list(right) and all(same(left[key], right[key]) for key in left)
    if isinstance(left, float) and isinstance(right, float):
        return left == right and math.copysign(1, left) == math.copysign(1, right)
    if isinstance(left, str):
        return left == right
    if isinstance(left, Sequence) and isinstance(right, Sequence):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right
