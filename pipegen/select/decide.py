"""Why a job runs by itself, or why it does not: the words of its `when`, one by one, against what is known."""

from collections.abc import Mapping
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Span
from pipegen.model import Edited, Job, Located, Reason, Workspace
from pipegen.patterns import Patterns
from pipegen.select.circumstances import ChangedFiles, Circumstances, Edit, Everything
from pipegen.select.reach import Reach, Touch
from pipegen.select.switches import Said
from pipegen.select.words import joined, quoted

CHANGED: Final = "changed"
SOURCES: Final = "sources"
ALWAYS: Final = "always"
MANUAL: Final = "manual"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is decided about one job by itself. `gate` says that it gets one even where others get none."""

    selected: bool
    reason: Reason
    gate: bool = False


def all_ignored(workspace: Workspace, circumstances: Circumstances) -> Reason | None:
    """Why nothing has to run: there are changed files, and each of them is an ignored one."""
    changes = circumstances.changes
    if not isinstance(changes, ChangedFiles) or not changes.paths:
        return None
    patterns = Patterns.compile([pattern.text for pattern in workspace.selection.ignored])
    paths = changes.ordered
    for path in paths:
        if patterns.match(path) is None:
            return None
    match = patterns.match(paths[0])
    if match is None:
        return None
    which = "the changed file is" if len(paths) == 1 else f"all {len(paths)} changed files are"
    return Reason(
        text=f"{which} ignored, {quoted(paths[0])} by {quoted(match.pattern)}",
        span=workspace.selection.ignored[match.index].span,
        file=paths[0],
        pattern=match.pattern,
    )


def run_all(workspace: Workspace, circumstances: Circumstances) -> Reason | None:
    """Why every `changed` job runs, whatever it guards: a file of `run_all`, or changes that are not known."""
    changes = circumstances.changes
    selection = workspace.selection
    if isinstance(changes, Everything):
        return Reason(text=f"everything runs: {changes.cause}", span=selection.span)
    if isinstance(changes, ChangedFiles) and selection.run_all:
        patterns = Patterns.compile([pattern.text for pattern in selection.run_all])
        for path in changes.ordered:
            match = patterns.match(path)
            if match is not None:
                return Reason(
                    text=f"{quoted(path)} changed, and {quoted(match.pattern)} runs everything",
                    span=selection.run_all[match.index].span,
                    file=path,
                    pattern=match.pattern,
                )
    unknown = circumstances.edits.unknown
    if unknown is not None:
        return Reason(text=f"everything runs: {unknown.what}", span=selection.span, file=unknown.file)
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decider:
    """Decides job by job; what concerns all of them is known by then."""

    circumstances: Circumstances
    said: Said
    edited: Edited
    run_all: Reason | None
    tests: Mapping[int, tuple[str, Touch]]
    sources: Mapping[int, tuple[str, Touch]]

    @classmethod
    def of(cls, workspace: Workspace, circumstances: Circumstances, said: Said, reach: Reach) -> "Decider":
        """Look up every changed file once, for all jobs."""
        changes = circumstances.changes
        paths = changes.ordered if isinstance(changes, ChangedFiles) else ()
        return cls(
            circumstances=circumstances,
            said=said,
            edited=workspace.selection.edited,
            run_all=run_all(workspace, circumstances),
            tests=reach.tests.first(paths) if paths and workspace.selection.owned_tests else {},
            sources=reach.sources.first(paths) if paths else {},
        )

    def decide(self, index: int, job: Job) -> Verdict:
        """Whether a job runs by itself: the first cause in the order of their precedence, or why there is none."""
        words: dict[str, Located] = {}
        for word in job.when:
            words.setdefault(word.text, word)
        reason = self._by_build(words)
        if reason is None and (CHANGED in words or SOURCES in words):
            reason = self._by_files(index, job, words)
        if reason is not None:
            return Verdict(selected=True, reason=reason)
        if any(word not in (ALWAYS, MANUAL) for word in words):
            return self._by_entry(job) or Verdict(selected=False, reason=_why_not(job, words))
        return Verdict(selected=False, reason=_why_not(job, words))

    def _by_build(self, words: Mapping[str, Located]) -> Reason | None:
        """Causes that hold whatever the job guards: switches, `always`, schedules, and `run_all` for `changed`."""
        if self.said.run_all is not None and CHANGED in words:
            return self.said.run_all
        if ALWAYS in words:
            return Reason(text="it runs in every build (when: always)", span=words[ALWAYS].span)
        for name, reason in self.said.schedules.items():
            if name in words:
                return reason
        return self.run_all if CHANGED in words else None

    def _by_files(self, index: int, job: Job, words: Mapping[str, Located]) -> Reason | None:
        if isinstance(self.circumstances.changes, Everything):
            if not (job.sources or job.tests or job.also):
                return None
            text = f"any file that it guards may have changed: {self.circumstances.changes.cause}"
            return Reason(text=text, span=words[SOURCES].span)
        if index in self.tests:
            path, touch = self.tests[index]
            return _touched(path, touch, "which it runs as a test")
        if index in self.sources:
            path, touch = self.sources[index]
            return _touched(path, touch, f"which its source {quoted(touch.pattern)} guards")
        return None

    def _by_entry(self, job: Job) -> Verdict | None:
        """Causes that lie in the workspace: what the job is made of changed, so that nobody has seen it run yet."""
        edits = self.circumstances.edits
        template, hardware = job.template.text, job.hardware.name
        own = edits.jobs.get(job.key)
        if own is not None and self.edited is Edited.RUN:
            return Verdict(selected=True, reason=_edit("its entry", own, job.span))
        if template in edits.templates:
            reason = _edit(f"its template {quoted(template)}", edits.templates[template], job.template.span)
            return Verdict(selected=True, reason=reason)
        if hardware in edits.hardware:
            reason = _edit(f"its hardware {quoted(hardware)}", edits.hardware[hardware], job.hardware.span)
            return Verdict(selected=True, reason=reason)
        if own is not None:
            edit = Edit(what=f"{own.what}, which is gated (edited: gate)", file=own.file)
            return Verdict(selected=False, reason=_edit("its entry", edit, job.span), gate=True)
        return None


def _touched(path: str, touch: Touch, why: str) -> Reason:
    return Reason(text=f"{quoted(path)} changed, {why}", span=touch.span, file=path, pattern=touch.pattern)


def _edit(what: str, edit: Edit, span: Span) -> Reason:
    return Reason(text=f"{what} {edit.what}", span=span, file=edit.file)


def _why_not(job: Job, words: Mapping[str, Located]) -> Reason:
    """Why nothing selected a job; the place is the word of its `when` that would have, or its entry."""
    for word in (CHANGED, SOURCES):
        if word in words:
            guards = job.tests or job.also or job.sources
            text = "no changed file is of its tests or sources" if guards else "it has no tests and no sources"
            return Reason(text=text, span=words[word].span)
    schedules = [word for word in words if word != MANUAL]
    if schedules:
        return Reason(text=f"it runs in {joined(schedules)} builds, and this is none", span=words[schedules[0]].span)
    return Reason(text="it runs by hand alone (when: manual)", span=words[MANUAL].span)
