"""Every kind of diagnostic that `lint` can report."""

from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Final

from pipegen import codes
from pipegen.diagnostics import Code
from pipegen.git import causes
from pipegen.rules import suppress, waivers
from pipegen.rules.frame import Rule
from pipegen.select import codes as selecting
from pipegen.validate import codes as validating

_MODULES: Final[tuple[ModuleType, ...]] = (codes, causes, selecting, validating, suppress, waivers)


def known_codes(rules: Iterable[Rule]) -> Mapping[str, Code]:
    """All codes by their number, those of some rules included, sorted."""
    found = [value for module in _MODULES for value in vars(module).values() if isinstance(value, Code)]
    found += [code for rule in rules for code in rule.codes]
    return dict(sorted((code.code, code) for code in found))
