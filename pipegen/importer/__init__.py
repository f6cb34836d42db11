"""Moving in: workspaces made from what other tools keep. Nothing else in pipegen knows where a fleet came from."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

from pipegen.source import Tree

if TYPE_CHECKING:
    from pipegen.importer.imported import Imported

Importer: TypeAlias = "Callable[[Tree, Sequence[str], bytes, str, Tree], Imported]"


def _vllm(tree: Tree, configs: Sequence[str], paths: bytes, owner: str, fleet: Tree) -> "Imported":
    from pipegen.importer.vllm import import_vllm  # noqa: PLC0415 - no other command should wait for it

    return import_vllm(tree, configs, paths, owner, fleet)


IMPORTERS: Final[Mapping[str, Importer]] = MappingProxyType({"vllm": _vllm})
"""What can be imported, by the name of where it comes from."""
