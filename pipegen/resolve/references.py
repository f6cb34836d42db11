"""What a layer refers to, and what can be said of it where it is written, before anything is expanded."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Final

from pipegen import codes
from pipegen.diagnostics import listing
from pipegen.expression import ExpressionError, Kind, parse
from pipegen.manifest.fields import Level
from pipegen.manifest.layers import Layer, is_plus
from pipegen.manifest.load import Loaded
from pipegen.manifest.located import JINJA, Items, Node, Report, Scalar
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.switches import RESERVED_WHEN
from pipegen.patterns import PatternError, check_pattern
from pipegen.plain import show
from pipegen.resolve.nesting import check_nesting

NESTED: Final = MappingProxyType({"parts": Level.PART, "variants": Level.VARIANT, "mirrors": Level.MIRROR})


def check_layer(layer: Layer, loaded: Loaded, report: Report) -> None:
    """Check the references of one layer and of the parts, variants and mirrors written in it."""
    for name, node in layer.nodes.items():
        if name in layer.faulty and name not in NESTED:
            continue
        if name in NESTED:
            nested = layer.inner(name, NESTED[name])
            for inner in nested.values():
                check_layer(inner, loaded, report)
            if name == "parts":
                _check_parts(nested, report)
        elif (check := _CHECKS.get(name)) is not None and not (isinstance(node, Scalar) and node.is_null):
            check(node, loaded, report)
    check_nesting(layer, report)
    if layer.level is Level.MIRROR:
        _check_mirror(layer, loaded, report)


def texts(node: Node) -> tuple[Scalar, ...]:
    """The text items of a list, or the one text; a `+` is none."""
    items = node.items if isinstance(node, Items) else (node,)
    return tuple(item for item in items if isinstance(item, Scalar) and not is_plus(item))


def _check_owner(node: Node, loaded: Loaded, report: Report) -> None:
    owners = loaded.workspace.owners
    for item in texts(node):
        if item.text not in owners and loaded.workspace.is_sure("owners", item.text):
            report.add(
                codes.UNKNOWN_REFERENCE,
                item.span,
                f'unknown owner "{item.text}"',
                hint=report.did_you_mean(item.text, owners) or f"declare it under owners in {loaded.workspace.path}",
            )


def _check_hardware(node: Node, loaded: Loaded, report: Report) -> None:
    match node:
        case Scalar():
            _known_hardware(node, loaded, report)
        case MappingNode():
            if len(node.entries) != 1:
                report.add(
                    codes.WRONG_TYPE,
                    node.span,
                    f"hardware: expected one entry with its tags, found {len(node.entries)}",
                    hint="keep one; a mirror runs the same on another",
                )
                return
            entry = node.entries[0]
            if _known_hardware(entry.key, loaded, report) and isinstance(entry.value, MappingNode):
                hardware = loaded.hardware[entry.key.text]
                offered = hardware.tags
                for tag in entry.value.entries:
                    if tag.key.text not in offered and "tags" not in hardware.layer.faulty:
                        report.add(
                            codes.NOT_OFFERED,
                            tag.key.span,
                            f'hardware "{entry.key.text}" offers no tag "{tag.key.text}"',
                            hint=report.did_you_mean(tag.key.text, offered) or "it offers no tags",
                        )
        case _:
            pass


def _known_hardware(name: Scalar, loaded: Loaded, report: Report) -> bool:
    if name.text in loaded.hardware:
        return True
    if loaded.lost_hardware is None or name.text in loaded.lost_hardware:
        return False
    report.add(
        codes.UNKNOWN_HARDWARE,
        name.span,
        f'unknown hardware "{name.text}"',
        hint=report.did_you_mean(name.text, loaded.hardware),
    )
    return False


def _check_env(node: Node, loaded: Loaded, report: Report) -> None:
    """Check that what has a reason and an end is a toggle: of another variable nobody knows what it leaves."""
    workspace = loaded.workspace
    for entry in node.entries if isinstance(node, MappingNode) else ():
        name = entry.key.text
        if not isinstance(entry.value, MappingNode) or name in workspace.toggles:
            continue
        if workspace.is_sure("toggles", name):
            hint = report.meant(name, workspace.toggles) or f"declare it under toggles in {workspace.path}"
            report.add(codes.UNDECLARED_TOGGLE, entry.key.span, f'"{name}" is no declared toggle', hint=hint)


def _check_when(node: Node, loaded: Loaded, report: Report) -> None:
    known = (*RESERVED_WHEN, *loaded.workspace.schedules)
    for item in texts(node):
        if item.text not in known and loaded.workspace.is_sure("schedules", item.text):
            report.add(
                codes.UNKNOWN_REFERENCE,
                item.span,
                f'unknown word "{item.text}" in when',
                hint=report.did_you_mean(item.text, known),
            )


def _check_sources(node: Node, _loaded: Loaded, report: Report) -> None:
    for item in texts(node):
        try:
            check_pattern(item.text)
        except PatternError as error:
            report.add(codes.BAD_PATTERN, item.span, f"sources: {error}", hint=error.help)


def _check_test_paths(name: str, node: Node, _loaded: Loaded, report: Report) -> None:
    for item in texts(node):
        if (fault := test_path_fault(item.text)) is not None:
            report.add(codes.BAD_PATTERN, item.span, f'{name}: "{item.text}" {fault[0]}', hint=fault[1])


def check_quarantine(loaded: Loaded, report: Report) -> None:
    """Check the test paths that are in quarantine."""
    for entry in loaded.workspace.quarantine:
        if (fault := test_path_fault(entry.test.text)) is not None:
            report.add(codes.BAD_PATTERN, entry.test.span, f'test: "{entry.test.text}" {fault[0]}', hint=fault[1])


def test_path_fault(text: str) -> tuple[str, str] | None:
    """Why a test path is none, and what to write; None for a good one."""
    path = text.removeprefix("//")
    file, _, node_id = path.partition("::")
    if text.startswith("/") and not text.startswith("//"):
        return "is a path of the machine", 'begin it with "//" for a path from the repository\'s root'
    if not file or file.startswith("/"):
        return "names no file or directory", "write a directory, a file, a glob or a node id"
    parts = file.rstrip("/").split("/")
    if any(part in ("", ".", "..") for part in parts):
        return 'has an empty part, "." or ".."', "write the path straight from the first test root"
    if parts[0].startswith(("-", "~")):
        return f'begins with "{parts[0][0]}", which a shell or pytest would not take for a path', "rename it"
    if "::" in path and (not node_id or file.endswith("/")):
        return "has no test after ::" if not node_id else "has :: after a directory", "write FILE::TEST"
    if node_id and any(character in file for character in "*?["):
        return "is a glob and a node id at once", "write the files or the directory"
    if any(ord(character) < 32 for character in text):
        return "has a control character in it", "rename it"
    return None


test_path_fault.__test__ = False  # type: ignore[attr-defined]  # its name is a pytest pattern


def _check_expression(kind: Kind, node: Node, _loaded: Loaded, report: Report) -> None:
    if not isinstance(node, Scalar) or JINJA.search(node.text):
        return
    try:
        parse(node.text, kind)
    except ExpressionError as error:
        message = f"pytest -{kind.value} {show(node.text)}: {error}"
        report.add(codes.BAD_EXPRESSION, node.span, message, hint=error.help)


def _check_parts(parts: Mapping[str, Layer], report: Report) -> None:
    kinds: dict[str, Layer] = {}
    rests: list[Layer] = []
    for part in parts.values():
        rest = part.extra.get("rest")
        takes_rest = isinstance(rest, Scalar) and rest.text == "true"
        rests += [part] if takes_rest else []
        given = [name for name in ("k", "m") if name in part.nodes] + (["rest"] if takes_rest else [])
        if not given and not part.broken:
            report.add(
                codes.MISSING_KEY,
                part.place,
                f'part "{part.name}" has no k, m or rest',
                hint="add k: or m: for its share, or rest: true for all else",
            )
        if len(given) > 1:
            last = part.extra["rest"] if takes_rest else part.nodes[given[-1]]
            report.add(
                codes.CONTRADICTION,
                last.span,
                f'part "{part.name}" has {listing(given)}',
                hint="keep one of them",
            )
        elif not takes_rest:
            kinds |= dict.fromkeys(given, part)
    for extra in rests[1:]:
        report.add(
            codes.CONTRADICTION,
            extra.extra["rest"].span,
            f'parts "{rests[0].name}" and "{extra.name}" both take the rest',
            hint="keep one of them",
        )
    if len(kinds) > 1:
        report.add(
            codes.CONTRADICTION,
            kinds["m"].nodes["m"].span,
            f'part "{kinds["k"].name}" has k and part "{kinds["m"].name}" has m',
            hint="narrow all parts of a step by k, or all by m",
        )


def _check_mirror(layer: Layer, loaded: Loaded, report: Report) -> None:
    none = layer.extra.get("none")
    if none is None:
        if "none" in layer.faulty:
            return  # misspelt, and reported as that
        for name in ("tracking", "until"):
            if name in layer.extra:
                report.add(
                    codes.CONTRADICTION,
                    layer.extra[name].span,
                    f'"{name}" goes with "none", which mirror "{layer.name}" lacks',
                    hint="add none: REASON, or take it out",
                )
        return
    if layer.nodes:
        other = next(iter(layer.nodes))
        report.add(
            codes.CONTRADICTION,
            layer.nodes[other].span,
            f'mirror "{layer.name}" is none and has "{other}"',
            hint="a mirror that is none has no job: keep none, tracking and until alone",
        )
    if layer.name not in loaded.workspace.lanes and loaded.workspace.is_sure("lanes", layer.name):
        report.add(
            codes.UNKNOWN_REFERENCE,
            layer.place,
            f'mirror "{layer.name}" is none and no lane has that name',
            hint=report.did_you_mean(layer.name, loaded.workspace.lanes),
        )


_CHECKS: Final[Mapping[str, Callable[[Node, Loaded, Report], None]]] = MappingProxyType(
    {
        "owner": _check_owner,
        "env": _check_env,
        "hardware": _check_hardware,
        "when": _check_when,
        "sources": _check_sources,
        "tests": partial(_check_test_paths, "tests"),
        "also": partial(_check_test_paths, "also"),
        "ignore": partial(_check_test_paths, "ignore"),
        "k": partial(_check_expression, Kind.KEYWORD),
        "m": partial(_check_expression, Kind.MARK),
    }
)
