"""JSON that is YAML too, since that is what Buildkite's agent reads it as."""

from collections.abc import Mapping, Sequence

from pipegen.emit.scalar import constant, entry_key, quoted, refuse_depth
from pipegen.plain import Plain


def to_json(tree: Plain) -> str:
    """Write a tree as one indented JSON document that ends in a newline.

    The tree is final: what interpolation needs is escaped, no upload reference is left.

    Raises:
        ValueError: something that no reader, or not every reader, would read back: infinities, not-a-number,
            integers beyond 64 bits, lone surrogates, upload references, keys of more than 1,000 characters.
    """
    out: list[str] = []
    _write(out, tree, "\n", 0)
    out.append("\n")
    return "".join(out)


def _write(out: list[str], tree: Plain, newline: str, level: int) -> None:
    match tree:
        case str():
            out.append(quoted(tree))
        case Mapping() if tree:
            refuse_depth(level)
            _write_mapping(out, tree, newline, level)
        case Sequence() if tree:
            refuse_depth(level)
            _write_sequence(out, tree, newline, level)
        case Mapping():
            out.append("{}")
        case Sequence():
            out.append("[]")
        case _:
            out.append(constant(tree))


def _write_mapping(out: list[str], tree: Mapping[str, Plain], newline: str, level: int) -> None:
    inner = newline + "  "
    before = "{" + inner
    for key, value in tree.items():
        out.append(before + entry_key(key, quoted) + ": ")
        _write(out, value, inner, level + 1)
        before = "," + inner
    out.append(newline + "}")


def _write_sequence(out: list[str], tree: Sequence[Plain], newline: str, level: int) -> None:
    inner = newline + "  "
    before = "[" + inner
    for value in tree:
        out.append(before)
        _write(out, value, inner, level + 1)
        before = "," + inner
    out.append(newline + "]")
