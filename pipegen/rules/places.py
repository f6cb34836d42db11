"""Where something that a job's commands say was written in a manifest."""

from pipegen.commands import Place
from pipegen.diagnostics import Span
from pipegen.manifest.located import Items, Mapping, Node, Scalar
from pipegen.model import Job


def span_of(job: Job, place: Place, written: str = "") -> Span:
    """The place in the manifest: the word itself, or the list item that holds it where its columns are not known.

    That is so where text was not written as it runs: an expression in it, escapes, several lines. What stands in a
    script is shown where the manifest calls that. A generated command is shown at the tests that it was made of.
    """
    while place.via is not None:
        place, written = place.via, ""
    node = _authored(job, place.command)
    if node is None:
        return job.tests[0].span if job.tests else job.also[0].span if job.also else job.span
    if not isinstance(node, Scalar):
        return node.span
    return word_in(node, job.commands[place.command].run, place.offset, written) or node.span


def typed(job: Job, place: Place, written: str) -> Span | None:
    """The place of just these characters in the manifest; None where they are not there as they run."""
    node = _authored(job, place.command)
    run = job.commands[place.command].run
    if place.via is not None or not isinstance(node, Scalar) or not run.startswith(written, place.offset):
        return None
    return word_in(node, run, place.offset, written)


def word_in(node: Scalar, run: str, offset: int, written: str) -> Span | None:
    """The place of a word in a scalar, if the scalar stands on one line as it runs; None if that is not known."""
    span = node.span
    width = span.end_column - span.column
    quote = 0 if node.plain else 1
    if node.text != run or span.line != span.end_line or width != len(run) + 2 * quote:
        return None
    length = len(written) if run.startswith(written, offset) and written else _length(run, offset)
    column = span.column + quote + offset
    return Span(path=span.path, line=span.line, column=column, end_line=span.line, end_column=column + length)


def _length(run: str, offset: int) -> int:
    """How long the word is that begins somewhere."""
    rest = run[offset:].split()
    return len(rest[0]) if rest else 1


def is_authored(job: Job, place: Place) -> bool:
    """Whether an author wrote the command, or the setup, that something stands in."""
    return _authored(job, place.command) is not None


def _authored(job: Job, command: int) -> Node | None:
    """The text of a command as it was written; None where pipegen made it."""
    setup = _items(job.nodes.get("setup"))
    if command < len(setup):
        return _run(setup[command])
    if "commands" not in job.nodes:
        return None
    commands = _items(job.nodes["commands"])
    at = command - len(setup)
    return _run(commands[at]) if at < len(commands) else None


def _items(node: Node | None) -> tuple[Node, ...]:
    return () if node is None else node.items if isinstance(node, Items) else (node,)


def _run(node: Node) -> Node:
    """The shell text of a command: the item itself, or its `run`."""
    return (node.get("run") or node) if isinstance(node, Mapping) else node
