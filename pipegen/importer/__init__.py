"""Moving in: workspaces made from what other tools keep. Nothing else in pipegen knows where a fleet came from."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, TypeAlias

from pipegen.importer.vllm import Imported, import_vllm
from pipegen.source import Tree

Importer: TypeAlias = Callable[[Tree, Sequence[str], bytes, str, Tree], Imported]

IMPORTERS: Final[Mapping[str, Importer]] = MappingProxyType({"vllm": import_vllm})
"""What can be imported, by the name of where it comes from."""

__all__ = ["IMPORTERS", "Imported", "Importer"]
