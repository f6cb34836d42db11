"""Matrices and references to them."""

from pipegen.plain import Plain
from pipegen.validate.codes import (
    MATRIX_ADJUSTMENT,
    MATRIX_DIMENSION,
    MATRIX_ELEMENT,
    MATRIX_LIMIT,
    MATRIX_LITERAL,
    MATRIX_PARALLELISM,
    MATRIX_PLACE,
    MATRIX_REFERENCE,
    MISSING_ATTRIBUTE,
    WRONG_TYPE,
)
from tests.unit.validate.tables.case import Case, command

TWO: Plain = {"setup": {"os": ["linux", "mac"], "arch": ["arm", "x86"]}}


def adjusted(adjustment: Plain) -> dict[str, Plain]:
    """A step with a matrix of two dimensions and one adjustment."""
    return {"matrix": {"setup": {"os": ["linux", "mac"], "arch": ["arm", "x86"]}, "adjustments": [adjustment]}}


SKIPPED: Plain = {"with": {"os": "mac", "arch": "x86"}, "skip": True}

CASES: tuple[Case, ...] = (
    command(
        {"matrix": [1, True, None]},
        {"matrix": [1, True, "null"]},
        MATRIX_ELEMENT,
        ("matrix", 2),
        ("matrix entry 3 is null: expected text, a whole number or a boolean", ""),
    ),
    command(
        {"matrix": {"setup": {"python": [3.10]}}},
        {"matrix": {"setup": {"python": ["3.10"]}}},
        MATRIX_ELEMENT,
        ("matrix", "setup", "python", 0),
        (
            "matrix dimension python entry 1 is 3.1: expected text, a whole number or a boolean",
            'quote it: "3.1"',
        ),
    ),
    command(
        {"matrix": []},
        {"matrix": ["a"]},
        WRONG_TYPE,
        ("matrix",),
        ("matrix is an empty list: expected at least one element", ""),
    ),
    command(
        {"matrix": "a"},
        {"matrix": ["a"]},
        WRONG_TYPE,
        ("matrix",),
        ('matrix is "a": expected a list of elements or a mapping with "setup"', ""),
    ),
    command(
        {"matrix": {"adjustments": []}},
        {"matrix": {"setup": ["a"], "adjustments": []}},
        MISSING_ATTRIBUTE,
        ("matrix",),
        ('matrix needs "setup", its dimensions', 'put the dimensions below "setup"'),
    ),
    command(
        {"matrix": {"setup": {"os-name": ["linux"]}}},
        {"matrix": {"setup": {"os_name": ["linux"]}}},
        MATRIX_DIMENSION,
        ("matrix", "setup", "os-name"),
        (
            'matrix dimension "os-name" is no name: expected letters, digits and "_"',
            'write "os_name"',
        ),
    ),
    command(
        {"matrix": {"setup": {name: ["x"] for name in "abcdefg"}}},
        {"matrix": {"setup": {name: ["x"] for name in "abcdef"}}},
        MATRIX_LIMIT,
        ("matrix", "setup"),
        ("matrix has 7 dimensions: expected at most 6", ""),
    ),
    command(
        {"matrix": list(range(26))},
        {"matrix": list(range(25))},
        MATRIX_LIMIT,
        ("matrix",),
        ("matrix has 26 elements: expected at most 25", ""),
    ),
    command(
        {"matrix": ["é" * 65]},
        {"matrix": ["é" * 64]},
        MATRIX_LIMIT,
        ("matrix", 0),
        ("matrix entry 1 has 130 bytes: expected at most 128", ""),
    ),
    command(
        {"matrix": {"setup": {"a": list(range(17)), "b": list(range(3))}}},
        {
            "matrix": {
                "setup": {"a": list(range(17)), "b": list(range(3))},
                "adjustments": [{"with": {"a": 0, "b": 0}, "skip": "no"}],
            }
        },
        MATRIX_LIMIT,
        ("matrix",),
        ("matrix makes 51 jobs: expected at most 50", ""),
    ),
    command(
        {"matrix": {"setup": ["a"], "adjustments": [{"with": f"n{n}", "soft_fail": True} for n in range(13)]}},
        {"matrix": {"setup": ["a"], "adjustments": [{"with": f"n{n}", "soft_fail": True} for n in range(12)]}},
        MATRIX_LIMIT,
        ("matrix", "adjustments"),
        ("matrix has 13 adjustments: expected at most 12", ""),
    ),
    command(
        adjusted({"with": {"os": "mac"}, "skip": True}),
        adjusted(SKIPPED),
        MATRIX_ADJUSTMENT,
        ("matrix", "adjustments", 0, "with"),
        ('adjustment 1 does not name "arch": expected every dimension of the matrix', 'add "arch"'),
    ),
    command(
        adjusted({"with": {"os": "mac", "arch": "x86", "oss": "y"}}),
        adjusted({"with": {"os": "mac", "arch": "riscv"}, "soft_fail": [{"exit_status": 1}]}),
        MATRIX_ADJUSTMENT,
        ("matrix", "adjustments", 0, "with", "oss"),
        ('adjustment 1 names "oss": expected "os" and "arch"', 'did you mean "os"?'),
    ),
    command(
        {"matrix": {"setup": ["a"], "adjustments": [{"with": {"x": "b"}}]}},
        {"matrix": {"setup": {"x": ["a"]}, "adjustments": [{"with": {"x": "b"}}]}},
        MATRIX_ADJUSTMENT,
        ("matrix", "adjustments", 0, "with"),
        (
            'adjustment 1 names "x", but the dimension of this matrix has no name',
            "name the dimension below setup",
        ),
    ),
    command(
        {"matrix": {"setup": ["a"], "adjustments": [{"with": ["b"]}]}},
        {"matrix": {"setup": ["a"], "adjustments": [{"with": "b"}]}},
        WRONG_TYPE,
        ("matrix", "adjustments", 0, "with"),
        (
            "adjustment 1 with is a list: expected a mapping of dimensions to elements",
            "name the dimension, below setup as well as here",
        ),
    ),
    command(
        {"matrix": ["a", "b"], "parallelism": 2},
        {"matrix": ["a", "b"]},
        MATRIX_PARALLELISM,
        ("parallelism",),
        (
            '"matrix" and "parallelism" exclude each other on one step',
            "make the shards a dimension of the matrix, or a step for each element",
        ),
    ),
    command(
        {"matrix": TWO, "label": "{{ matrix.oss }}"},
        {"matrix": TWO, "label": "{{ matrix.os }}", "env": {"ARCH": "{{matrix.arch}}"}},
        MATRIX_REFERENCE,
        ("label",),
        (
            '"{{ matrix.oss }}" refers to nothing: this matrix has no dimension "oss"',
            'did you mean "os"?',
        ),
    ),
    command(
        {"matrix": TWO, "label": "{{matrix}}"},
        {"matrix": ["a"], "label": "{{matrix}}", "plugins": [{"x#{{matrix}}": {"y": ["{{matrix}}"]}}]},
        MATRIX_REFERENCE,
        ("label",),
        (
            '"{{matrix}}" refers to nothing: the dimensions of this matrix have names',
            "write {{matrix.os}}",
        ),
    ),
    command(
        {"matrix": ["a"], "agents": {"queue": "{{matrix.queue}}"}},
        {"matrix": ["a"], "agents": {"queue": "{{matrix}}"}},
        MATRIX_REFERENCE,
        ("agents", "queue"),
        (
            '"{{matrix.queue}}" refers to nothing: the dimension of this matrix has no name',
            "write {{matrix}}",
        ),
    ),
    command(
        {"command": ["make {{matrix.os}}"]},
        {"command": ["make {{matrix.os}}"], "matrix": TWO},
        MATRIX_REFERENCE,
        ("command", 0),
        ('"{{matrix.os}}" stands in a step without a matrix', 'add a "matrix" to the step'),
    ),
    command(
        {"matrix": ["a"], "key": "build-{{matrix}}"},
        {"matrix": ["a"], "key": "build"},
        MATRIX_PLACE,
        ("key",),
        ('"{{matrix}}" stands in key, where Buildkite fills in nothing', "write key without the matrix"),
    ),
    command(
        {"matrix": ["a"], "depends_on": ["image-{{matrix}}"]},
        {"matrix": ["a"], "depends_on": ["image"]},
        MATRIX_PLACE,
        ("depends_on", 0),
        (
            '"{{matrix}}" stands in depends_on, where Buildkite fills in nothing',
            "write depends_on without the matrix",
        ),
    ),
    command(
        {"matrix": ["a"], "concurrency": 1, "concurrency_group": "g/{{matrix}}"},
        {"matrix": ["a"], "concurrency": 1, "concurrency_group": "g"},
        MATRIX_PLACE,
        ("concurrency_group",),
        (
            '"{{matrix}}" stands in concurrency_group, where Buildkite fills in nothing',
            "write concurrency_group without the matrix",
        ),
    ),
    command(
        {"matrix": ["a"], "env": {"{{matrix}}": "x"}},
        {"matrix": ["a"], "env": {"x": "{{matrix}}"}},
        MATRIX_PLACE,
        ("env", "{{matrix}}"),
        (
            '"{{matrix}}" stands in the name of a variable, where Buildkite fills in nothing',
            "write the name of a variable without the matrix",
        ),
    ),
    command(
        {"matrix": ["a"], "artifact_paths": "{{matrix}}/*.log"},
        {"matrix": ["a"], "artifact_paths": "*/*.log"},
        MATRIX_LITERAL,
        ("artifact_paths",),
        (
            '"{{matrix}}" stands in artifact_paths, where it stays as it is',
            "references to the matrix work in command, label, env, plugins and agents",
        ),
    ),
)
