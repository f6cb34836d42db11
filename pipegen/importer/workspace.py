"""The new workspace: its file, its catalogue, the templates that the importer adds, and how all of it is loaded."""

from collections.abc import Mapping, Sequence
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.diagnostics import PipegenError, Span
from pipegen.importer import codes
from pipegen.importer.catalogue import Catalogue
from pipegen.importer.reading import Settings
from pipegen.importer.rules import Rules
from pipegen.importer.sources import run_all
from pipegen.importer.writing import scalar
from pipegen.jinja import Templates
from pipegen.manifest.hardware import decode_hardware
from pipegen.manifest.load import load_workspaces
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.located import Report
from pipegen.manifest.yaml import parse_yaml
from pipegen.model import Workspace
from pipegen.source import MappingTree

FILE: Final = ".buildkite/pipegen.yaml"
HARDWARE: Final = ".buildkite/hardware.yaml"
LISTING: Final = ".buildkite/tree.txt"
SKELETON: Final = "pipegen.yaml.j2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """One output of the new workspace: where its manifests lie, what runs all of it, and its variables as YAML."""

    name: str
    areas: tuple[str, ...]
    run_all: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()


def pipeline_of(settings: Settings, areas: Sequence[str], rules: Rules, report: Report) -> Pipeline:
    """A pipeline as its settings file has it."""
    patterns = run_all(settings.run_all, settings.run_all_excluded, report)
    return Pipeline(
        name=settings.name,
        areas=tuple(areas),
        run_all=tuple(scalar(pattern) for pattern in patterns),
        variables=_variables(settings, rules, report),
    )


def _variables(settings: Settings, rules: Rules, report: Report) -> tuple[tuple[str, str], ...]:
    if settings.registry is None or not settings.repositories:
        report.add(
            codes.NOT_CARRIED,
            Span(path=settings.path, line=1, column=1),
            "the settings name no registry and repositories: REGISTRY and REPOSITORY are empty",
            hint="say them with --var, or in the workspace file; host jobs need neither",
        )
    registry = settings.registry or ""
    names = dict(settings.repositories)
    main = names.get(rules.main_branch, "")
    other = names.get("premerge", main)
    same = scalar(other)
    differs = scalar(f"{{{{ '{main}' if build.branch == '{rules.main_branch}' else '{other}' }}}}")
    return (
        ("REGISTRY", scalar(registry)),
        ("PULL_THROUGH", scalar(f"{rules.pull_through}/{registry.rpartition('/')[2]}")),
        ("REPOSITORY", same if main == other else differs),
    )


def skeleton(source: str, pipelines: Sequence[Pipeline], owner: str, external: Sequence[str]) -> str:
    """The workspace file."""
    given = [
        {
            "name": scalar(pipeline.name),
            "areas": [scalar(folder, nested=True) for folder in pipeline.areas],
            "run_all": list(pipeline.run_all),
            "variables": list(pipeline.variables),
        }
        for pipeline in pipelines
    ]
    names = {"pipelines": given, "owner": scalar(owner), "external": [scalar(key, nested=True) for key in external]}
    return Templates({SKELETON: source}).render(SKELETON, names).lstrip("\n")


def load_catalogue(skeleton_text: str, hardware: bytes) -> tuple[Workspace, Catalogue]:
    """The lanes and entries of the importer's own data, as pipegen reads them.

    Raises:
        PipegenError: the data of the importer is not what it should be.
    """
    tree = MappingTree(files={FILE: skeleton_text.encode()})
    workspaces, found = load_workspaces(tree, FILE)
    report = Report()
    report.found += found
    root = parse_yaml(hardware, HARDWARE, report)
    entries = root.get("hardware") if isinstance(root, MappingNode) else None
    if not workspaces or root is None or not isinstance(entries, MappingNode):
        raise PipegenError(f"the importer's own data cannot be read: {[str(each.message) for each in report.found]}")
    decoded = decode_hardware({HARDWARE: root}, workspaces[0], report)
    if report.found:
        raise PipegenError(f"the importer's own data is wrong: {report.found[0].span}: {report.found[0].message}")
    nodes: Mapping[str, MappingNode] = {
        entry.key.text: entry.value for entry in entries.entries if isinstance(entry.value, MappingNode)
    }
    return workspaces[0], Catalogue(text=hardware.decode(), entries=decoded, nodes=nodes)
