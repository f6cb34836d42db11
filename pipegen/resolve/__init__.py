"""The second stage: what was loaded, with every reference checked and every step with the layers it inherits from."""

from pipegen.resolve.steps import resolve

__all__ = ["resolve"]
