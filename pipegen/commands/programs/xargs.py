"""`xargs`: a command with what it reads as arguments."""

import shlex
from typing import Final

from pipegen.commands.programs.finding import put
from pipegen.commands.programs.options import taken
from pipegen.commands.programs.tables import Options
from pipegen.commands.reading import Why
from pipegen.commands.running.machine import Call, Machine, Result, unread
from pipegen.commands.running.values import Field, Text, known, plain
from pipegen.dataclass import replace

_OPTIONS: Final = Options(
    flags=frozenset(
        {"-0", "--null", "-r", "--no-run-if-empty", "-t", "--verbose", "-p", "--interactive", "-x", "--exit"}
        | {"-i", "--replace", "-o", "--open-tty"}
    ),
    valued=frozenset(
        {"-n", "--max-args", "-P", "--max-procs", "-I", "-L", "--max-lines", "-s", "--max-chars", "-d", "--delimiter"}
        | {"-E", "-a", "--arg-file"}
    ),
)
_LINES: Final = frozenset({"-0", "--null", "-d", "--delimiter", "-I", "-i", "--replace", "-L", "--max-lines"})
_APART: Final = frozenset({"-n", "--max-args", "-L", "--max-lines"})


def run_xargs(machine: Machine, call: Call) -> Result:
    """Run the command of xargs for what it reads: apart for each item with `-I` and `-n`, else once."""
    options = taken(call.argv, 1, _OPTIONS)
    if options.doubt is not None:
        return unread(machine, call, Why.OPTION, options.doubt)
    command = call.argv[options.end :]
    if not command:
        return Result(output=call.frame.stdin or call.unknown_output())
    values = dict(options.values)
    if call.frame.stdin is None or "-a" in values or "--arg-file" in values:
        return unread(machine, call, Why.UNKNOWN, "what xargs reads is not known before it runs")
    items = _items(call.frame.stdin, whole=not _LINES.isdisjoint(options.given))
    if items is None:
        return unread(machine, call, Why.UNKNOWN, "what xargs reads is not known before it runs")
    sign = known(values["-I"]) if "-I" in values else "{}" if {"-i", "--replace"} & options.given else None
    if sign:
        calls = [tuple(put(word, sign, item) for word in command) for item in items]
    elif _APART & options.given:
        calls = [(*command, item) for item in items]
    else:
        calls = [(*command, *items)]
    for argv in calls:
        machine.run(replace(call.of(argv), state=call.state.copy(), frame=replace(call.frame, stdin=None)))
    return Result(output=call.unknown_output())


def _items(lines: tuple[Field, ...], *, whole: bool) -> list[Field] | None:
    """What xargs reads, item by item: lines, or words with quotes of xargs' own."""
    items: list[Field] = []
    for line in lines:
        text = known(line)
        if text is None or whole:
            items += [line] if line else []
            continue
        at = line[0].at if line else 0
        try:
            items += [plain(word, at) for word in shlex.split(text)]
        except ValueError:
            return None
    return [_parted(item) for item in items]


def _parted(item: Field) -> Field:
    return tuple(
        Text(piece.text, quoted=True, at=piece.at, exact=False) if isinstance(piece, Text) else piece for piece in item
    )
