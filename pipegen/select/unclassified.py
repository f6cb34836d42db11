"""Changed files that nothing classifies: whoever breaks something through one of them breaks it unseen."""

from typing import Self

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Diagnostic, Span
from pipegen.model import Workspace
from pipegen.patterns import Patterns
from pipegen.select import codes
from pipegen.select.circumstances import ChangedFiles, Changes
from pipegen.select.reach import Reach
from pipegen.select.words import quoted

SHOWN = 20
"""How many files are reported one by one; the rest are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Classifier:
    """Knows every file that something in the workspace has a word about."""

    reach: Reach
    run_all: Patterns
    ignored: Patterns
    own: tuple[str, ...]

    @classmethod
    def of(cls, workspace: Workspace, reach: Reach) -> Self:
        """What a workspace and its jobs have words about."""
        return cls(
            reach=reach,
            run_all=Patterns.compile([pattern.text for pattern in workspace.selection.run_all]),
            ignored=Patterns.compile([pattern.text for pattern in workspace.selection.ignored]),
            own=own_files(workspace),
        )

    def classifies(self, path: str) -> bool:
        """Whether a file is a test that somebody owns or runs, guarded, ignored, for all, or the workspace's own."""
        return (
            self.ignored.match(path) is not None
            or self.run_all.match(path) is not None
            or is_own(path, self.own)
            or self.reach.tests.knows(path)
            or self.reach.sources.knows(path)
        )


def own_files(workspace: Workspace) -> tuple[str, ...]:
    """The files and folders that the workspace itself is made of."""
    places = (*workspace.areas, *workspace.hardware_files, *workspace.selection.cases)
    listing = () if workspace.listing is None else (workspace.listing.text,)
    named = (workspace.path, workspace.templates, *listing, *(place.text for place in places))
    return tuple(dict.fromkeys(name.removeprefix("./").rstrip("/") for name in named))


def is_own(path: str, own: tuple[str, ...]) -> bool:
    """Whether a path is one of these, or lies below one."""
    return any(path == name or path.startswith(f"{name}/") for name in own)


def unclassified(workspace: Workspace, changes: Changes, reach: Reach) -> tuple[str, ...]:
    """The changed files that nothing classifies, sorted."""
    if not isinstance(changes, ChangedFiles) or not changes.paths:
        return ()
    classifier = Classifier.of(workspace, reach)
    return tuple(path for path in changes.ordered if not classifier.classifies(path))


def report_unclassified(paths: tuple[str, ...], workspace: Workspace) -> tuple[Diagnostic, ...]:
    """A warning for each file, and one for all beyond the first few."""
    hint = "own it (tests), guard it (sources), or name it under run_all or ignored"
    found = [
        Diagnostic(
            code=codes.UNCLASSIFIED_FILE,
            span=Span(path=path),
            message=f"{quoted(path)} changed, and nothing in the workspace is about it",
            help=hint,
        )
        for path in paths[:SHOWN]
    ]
    if len(paths) > SHOWN:
        rest = f"{len(paths) - SHOWN} more files changed that nothing in the workspace is about"
        found.append(Diagnostic(code=codes.UNCLASSIFIED_FILE, span=workspace.selection.span, message=rest, help=hint))
    return tuple(found)
