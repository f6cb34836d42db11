"""The fourth stage: what becomes of each job in this build, and why."""

from pipegen.select.plan import select_all

__all__ = ["select_all"]
