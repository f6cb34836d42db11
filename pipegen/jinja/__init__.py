"""Jinja for strangers' text: sandboxed, bounded in steps and output, every undefined name an error.

Two dialects: expressions in values of manifests (`{{ … }}` alone: `${#A[@]}` and `{% … %}` are the shell's), and
whole templates. Both see the same sandbox.
"""

from pipegen.jinja.filters import MAX_OUTPUT, k8s_escape, to_json
from pipegen.jinja.names import Facts, JinjaError, Names, Upload
from pipegen.jinja.rendering import TEMPLATE_SUFFIX, Expressions, Templates, references
from pipegen.jinja.sandbox import MAX_RANGE, MAX_STEPS

__all__ = [
    "MAX_OUTPUT",
    "MAX_RANGE",
    "MAX_STEPS",
    "TEMPLATE_SUFFIX",
    "Expressions",
    "Facts",
    "JinjaError",
    "Names",
    "Templates",
    "Upload",
    "k8s_escape",
    "references",
    "to_json",
]
