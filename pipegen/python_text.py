"""Python source of strangers, read and never run."""

import ast
import warnings


def parsed(text: str) -> ast.Module | None:
    """The syntax of a module; None where it is none, or is nested deeper than Python reads."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
