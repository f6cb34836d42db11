"""Moving in from step files as vLLM's CI has them: one new workspace for a repository's pipelines.

Whatever is wrong in the old files is reported where it stands, and the rest is imported.
"""

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Final

from pipegen.commands.collecting.files import Files
from pipegen.commands.reader import CommandReader, tables_of
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Diagnostic, Span, ordered
from pipegen.importer import codes
from pipegen.importer.attributes import Attributes
from pipegen.importer.catalogue import Catalogue
from pipegen.importer.claims import Claims
from pipegen.importer.collecting import Collecting
from pipegen.importer.drafting import Drafting
from pipegen.importer.drafts import Draft
from pipegen.importer.imported import Imported
from pipegen.importer.keys import key_for, keys_of, missing_in
from pipegen.importer.labels import Labels
from pipegen.importer.layout import Written, manifest, stems
from pipegen.importer.machines import Machines
from pipegen.importer.reading import OldFile, Settings, named_apart, read_settings, read_steps, step_files
from pipegen.importer.rules import RULES, Rules, read_rules
from pipegen.importer.selecting import Selecting
from pipegen.importer.sources import Sources
from pipegen.importer.speaking import Speaking
from pipegen.importer.summary import Summary, exports, left
from pipegen.importer.texts import Texts
from pipegen.importer.workspace import (
    FILE,
    HARDWARE,
    LISTING,
    SKELETON,
    Pipeline,
    load_catalogue,
    pipeline_of,
    skeleton,
)
from pipegen.manifest.located import Report
from pipegen.model import TestSettings, Workspace
from pipegen.source import Tree

MAX_BYTES: Final = 1 << 20
AREAS: Final = "areas"
ENTRIES: Final = "hardware.yaml"


@dataclass(slots=True, kw_only=True)
class _Source:
    """A step file: the pipelines that it is part of, and the place of its manifest."""

    path: str
    folder: str
    pipelines: list[Settings] = field(default_factory=list)


def import_vllm(tree: Tree, configs: Sequence[str], paths: bytes, owner: str, fleet: Tree) -> Imported:
    """Import the pipelines that the settings files `configs` describe, in order.

    Args:
        tree: The repository with the step files.
        configs: Paths of settings files in `tree`.
        paths: What `git ls-files` prints there.
        owner: Who owns every area for now.
        fleet: The importer's own data.
    """
    report = Report()
    settings: list[Settings] = []
    for path in dict.fromkeys(configs):
        found = read_settings(tree, path, report)
        if found is not None:
            settings.append(named_apart(found, settings, report))
    if not settings:
        return Imported(files={}, diagnostics=ordered(report.found), summary=None)
    source = _read_data(fleet, SKELETON).decode()
    bare = skeleton(source, [Pipeline(name="any", areas=(f"{AREAS}/",))], owner, ())
    workspace, catalogue = load_catalogue(bare, _read_data(fleet, ENTRIES))
    work = _Import(
        tree=tree,
        fleet=fleet,
        skeleton=source,
        rules=read_rules(_read_data(fleet, RULES)),
        workspace=workspace,
        catalogue=catalogue,
        settings=settings,
        owner=owner,
        report=report,
    )
    return work.run(paths)


def _read_data(fleet: Tree, name: str) -> bytes:
    return fleet.read(name, limit=MAX_BYTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Import:
    """One import: what it reads, what it knows, and where it reports. `skeleton` is the template of the workspace."""

    tree: Tree
    fleet: Tree
    skeleton: str
    rules: Rules
    workspace: Workspace
    catalogue: Catalogue
    settings: Sequence[Settings]
    owner: str
    report: Report

    def run(self, paths: bytes) -> Imported:
        """The whole import."""
        collecting = self._collecting(paths)
        sources = self._sources()
        files = [file for each in sources if (file := self._read(each)) is not None]
        drafts = self._drafts(files, {each.path: each for each in sources}, collecting)
        external = self._missing(files, drafts, {each.path: each for each in sources})
        written = self._manifests(files, drafts, sources)
        pipelines = [pipeline_of(each, self._areas(each, sources), self.rules, self.report) for each in self.settings]
        self._say_owner()
        products = {
            FILE: skeleton(self.skeleton, pipelines, self.owner, external).encode(),
            HARDWARE: self.catalogue.written().encode(),
            LISTING: paths,
            **self._templates(),
            **{path: each.text.encode() for path, each in written.items()},
        }
        found = ordered(self.report.found)
        return Imported(
            files=products, diagnostics=found, summary=self._summary(files, drafts, list(written.values()), found)
        )

    def _collecting(self, paths: bytes) -> Collecting:
        settings = self.workspace.tests
        listed = (line.rstrip("\r") for line in paths.decode("utf-8", errors="replace").split("\n"))
        return Collecting(
            files=Files.of(line for line in listed if line),
            settings=settings,
            reader=CommandReader(checkout=settings.checkout, files=settings.files, tables=tables_of(settings)),
        )

    def _templates(self) -> dict[str, bytes]:
        """The templates that pipegen's own do not have."""
        return {path: _read_data(self.fleet, path) for path in self.fleet.under("templates") if path.endswith(".j2")}

    def _sources(self) -> list[_Source]:
        """Every step file once, in the order of pipelines and paths."""
        found: dict[str, _Source] = {}
        for settings in self.settings:
            for path, folder in step_files(self.tree, settings, self.report).items():
                found.setdefault(path, _Source(path=path, folder=folder)).pipelines.append(settings)
        return list(found.values())

    def _read(self, source: _Source) -> OldFile | None:
        file = read_steps(self.tree, source.path, self.rules.ignored, self.report)
        for block in file.comments.dead if file is not None else ():
            dead = block.dead[0]
            place = Span(path=source.path, line=dead.line, column=dead.column)
            self.report.add(codes.COMMENTED_OUT, place, f'"{dead.text.strip()}" is commented out: it is left behind')
        return file

    def _drafts(
        self, files: Iterable[OldFile], sources: Mapping[str, _Source], collecting: Collecting
    ) -> dict[str, list[Draft]]:
        taken: dict[str, set[str]] = {settings.name: set() for settings in self.settings}
        result = {}
        for file in files:
            pipelines = [settings.name for settings in sources[file.path].pipelines]
            drafting = self._drafting(file, sources[file.path], collecting)
            drafts = []
            for step in file.steps:
                key = key_for(step, [taken[name] for name in pipelines], self.report)
                draft = drafting.draft(step, key)
                if draft is not None:
                    drafts.append(draft)
                    for name in pipelines:
                        taken[name].add(key)
            result[file.path] = drafts
        return result

    def _drafting(self, file: OldFile, source: _Source, collecting: Collecting) -> Drafting:
        settings: TestSettings = self.workspace.tests
        uploaded = [each.name in self.rules.upload_time for each in source.pipelines]
        if len(set(uploaded)) > 1:
            place = Span(path=file.path, line=1, column=1)
            self.report.add(
                codes.NOT_CARRIED, place, "its pipelines disagree about who replaces names: the upload does"
            )
        texts = Texts(substitution={} if any(uploaded) else self.rules.substitution, report=self.report)
        paths = Sources(files=collecting.files, comments=file.comments, report=self.report)
        machines = Machines(
            rules=self.rules,
            catalogue=self.catalogue,
            default_working_dir=settings.working_dir,
            report=self.report,
        )
        return Drafting(
            file=file,
            rules=self.rules,
            machines=machines,
            labels=Labels(lanes=self.workspace.lanes, catalogue=self.catalogue),
            texts=texts,
            attributes=Attributes(
                rules=self.rules,
                catalogue=self.catalogue,
                lanes=self.workspace.lanes,
                comments=file.comments,
                texts=texts,
                report=self.report,
            ),
            selecting=Selecting(file=file, rules=self.rules, sources=paths),
            collecting=collecting,
            report=self.report,
        )

    def _missing(
        self, files: Iterable[OldFile], drafts: Mapping[str, Sequence[Draft]], sources: Mapping[str, _Source]
    ) -> tuple[str, ...]:
        """Keys that something waits for and no step of its pipelines has."""
        keys: dict[str, set[str]] = {settings.name: set() for settings in self.settings}
        for path, some in drafts.items():
            for settings in sources[path].pipelines:
                keys[settings.name].update(keys_of(some))
        missing: set[str] = set()
        for file in files:
            known = set.intersection(*(keys[settings.name] for settings in sources[file.path].pipelines))
            missing.update(missing_in(file, known, self.report))
        return tuple(sorted(missing))

    def _manifests(
        self, files: Sequence[OldFile], drafts: Mapping[str, Sequence[Draft]], sources: Sequence[_Source]
    ) -> dict[str, Written]:
        claims = Claims.of(draft for file in files for draft in drafts[file.path])
        speaking = Speaking(claims=claims, settings=self.workspace.tests)
        names = stems([file.path for file in files])
        places = {source.path: self._place(source) for source in sources}
        return {
            places[file.path]: manifest(file, drafts[file.path], speaking, self.owner, names[file.path])
            for file in files
            if drafts[file.path]
        }

    def _place(self, source: _Source) -> str:
        """Where the manifest of a step file lies: its folder's name, and the path below that."""
        below = posixpath.relpath(source.path, source.folder)
        below = posixpath.basename(source.path) if below == "." else below
        return posixpath.join(AREAS, self._folder(source.folder), posixpath.splitext(below)[0] + ".yaml")

    def _folder(self, folder: str) -> str:
        """A folder's name, with what lies above it where two folders have the same."""
        name = _last(folder)
        others = {each.text.rstrip("/") for settings in self.settings for each in settings.folders}
        alike = [other for other in others if _last(other) == name]
        return name if len(alike) < 2 else folder.strip("/").replace("/", "-").lstrip(".")

    def _areas(self, settings: Settings, sources: Sequence[_Source]) -> list[str]:
        """The folders of a pipeline's manifests; all of them where it is the only one."""
        if len(self.settings) == 1:
            return [f"{AREAS}/"]
        folders = dict.fromkeys(source.folder for source in sources if settings in source.pipelines)
        return [f"{AREAS}/{self._folder(folder)}/" for folder in folders]

    def _say_owner(self) -> None:
        self.report.add(
            codes.NO_OWNER,
            Span(path=self.settings[0].path, line=1, column=1),
            f'step files name no owners: every area belongs to "{self.owner}"',
            hint=f"say who answers for what under owners in {FILE}, and in each manifest",
        )

    def _summary(
        self,
        files: Sequence[OldFile],
        drafts: Mapping[str, Sequence[Draft]],
        written: Sequence[Written],
        found: Sequence[Diagnostic],
    ) -> Summary:
        every = [draft for some in drafts.values() for draft in some]
        return Summary(
            pipelines=len(self.settings),
            files=len(files),
            steps=sum(len(file.steps) for file in files),
            mirrors=sum(len(draft.mirrors) for draft in every),
            areas=sum(each.areas for each in written),
            plain_steps=sum(each.steps for each in written),
            told_by_tests=sum(each.told_by_tests for each in written),
            exports=exports(every),
            machines=tuple(sorted(self.catalogue.added)),
            owner=self.owner,
            left=left(found),
        )


def _last(folder: str) -> str:
    """The last name of a folder's path."""
    return posixpath.basename(folder.rstrip("/"))
