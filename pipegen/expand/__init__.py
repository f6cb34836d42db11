"""The third stage: steps become jobs, the product of parts, variants and mirrors, each with all that it runs."""

from pipegen.expand.jobs import expand

__all__ = ["expand"]
