"""Write the files of this repository that are made from others, or check that they are up to date.

python -m tests.regenerate            write them
python -m tests.regenerate --check    exit 1, naming those that are stale
"""

import argparse
import functools
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

import click

from pipegen.cli import cli
from pipegen.rules import RULES
from tests.limits_page import limits_page
from tests.messages_page import messages_page
from tests.reference_page import reference_page
from tests.rule_pages import index_page, rule_page

REPOSITORY: Final = Path(__file__).parents[1]

HEAD: Final = """\
# Command line

<!-- Made from the commands themselves: python -m tests.regenerate -->

"""


def cli_page() -> str:
    """docs/cli.md: every command with its arguments and options."""
    return HEAD + "\n".join(_command("pipegen", cli))


def _command(name: str, command: click.Command) -> Iterator[str]:
    arguments = [param for param in command.params if isinstance(param, click.Argument)]
    options = [param for param in command.params if isinstance(param, click.Option)]
    yield f"## {' '.join([name, *(_argument(argument) for argument in arguments)])}\n"
    yield inspect.cleandoc(command.help or "") + "\n"
    if options:
        yield "| option | |"
        yield "| --- | --- |"
        yield from (f"| `{_names(option)}` | {_meaning(option)} |" for option in options)
        yield ""
    if isinstance(command, click.Group):
        for sub, subcommand in sorted(command.commands.items()):
            yield from _command(f"{name} {sub}", subcommand)


def _argument(argument: click.Argument) -> str:
    shown = _choices(argument.type) or (argument.name or "").upper()
    return f"{shown}{'…' if argument.nargs != 1 else ''}" if argument.required else f"[{shown}]"


def _names(option: click.Option) -> str:
    value = "" if option.is_flag else " " + (_choices(option.type) or option.metavar or option.type.name.upper())
    return ", ".join(sorted((*option.opts, *option.secondary_opts), key=len)) + value.replace("|", "\\|")


def _choices(kind: object) -> str:
    return "|".join(str(choice) for choice in kind.choices) if isinstance(kind, click.Choice) else ""


def _meaning(option: click.Option) -> str:
    notes = [option.help.replace("|", "\\|")] if option.help else []
    if option.multiple:
        notes.append("May be given several times.")
    if isinstance(option.default, str):
        notes.append(f"Default: `{option.default}`.")
    return " ".join(notes)


GENERATED: Final[Mapping[str, Callable[[], str]]] = MappingProxyType(
    {
        "docs/cli.md": cli_page,
        "docs/limits.md": limits_page,
        "docs/messages.md": messages_page,
        "docs/reference.md": reference_page,
        "docs/rules/index.md": index_page,
        **{f"docs/rules/{rule.codes[0].code}.md": functools.partial(rule_page, rule) for rule in RULES},
    }
)
"""Every generated file, and what makes its text."""


def stale() -> tuple[str, ...]:
    """The generated files that are not what they would be made now."""
    return tuple(path for path, make in GENERATED.items() if _read(REPOSITORY / path) != make())


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def main() -> int:
    """Write or check; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if anything is stale")
    check = parser.parse_args().check
    paths = stale()
    for path in paths:
        sys.stdout.write(f"{'stale' if check else 'written'}: {path}\n")
        if not check:
            (REPOSITORY / path).parent.mkdir(parents=True, exist_ok=True)
            (REPOSITORY / path).write_text(GENERATED[path](), encoding="utf-8")
    return 1 if check and paths else 0


if __name__ == "__main__":
    sys.exit(main())
