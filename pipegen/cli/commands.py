"""The commands by name, each imported when it is asked for."""

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Final

import click

HOMES: Final[Mapping[str, str]] = {
    "explain": "pipegen.cli.explain:explain",
    "generate": "pipegen.cli.generate:generate",
    "import": "pipegen.cli.importing:import_",
    "lint": "pipegen.cli.lint:lint",
    "list": "pipegen.cli.catalogue:list_",
    "schema": "pipegen.cli.catalogue:schema",
    "upload": "pipegen.cli.upload:upload",
}
"""Where each command is, as MODULE:NAME."""


class Commands(MutableMapping[str, click.Command]):
    """All commands: a run imports the one that was typed, so that none waits for what the others need."""

    def __init__(self) -> None:
        self._imported: dict[str, click.Command] = {}
        self._names = dict.fromkeys(HOMES)

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._imported:
            module, _, attribute = HOMES[name].partition(":")
            self._imported[name] = getattr(import_module(module), attribute)
        return self._imported[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._names[name] = None
        self._imported[name] = command

    def __delitem__(self, name: str) -> None:
        del self._names[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
