"""The fourth stage: what becomes of each job in this build, and why."""

from pipegen.select.circumstances import ChangedFiles, Changes, Circumstances, Edit, Edits, Everything
from pipegen.select.plan import BuildPlan, select, select_all

__all__ = [
    "BuildPlan",
    "ChangedFiles",
    "Changes",
    "Circumstances",
    "Edit",
    "Edits",
    "Everything",
    "select",
    "select_all",
]
