"""Step files and settings files of the old pipeline, with the place of everything that they say."""

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Final

from pipegen import codes as reading_codes
from pipegen.dataclass import dataclass, replace
from pipegen.diagnostics import Diagnostic, Span, did_you_mean
from pipegen.importer import codes
from pipegen.importer.comments import Comments, comments_of
from pipegen.importer.fields import Fields, fields_of, is_null
from pipegen.manifest.located import JINJA, Items, Node, Report, Scalar, describe
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.yaml import parse_yaml
from pipegen.source import Tree, UnreadableError

MAX_BYTES: Final = 1 << 20
SUFFIXES: Final = (".yaml", ".yml")

FILE_FIELDS: Final = ("group", "depends_on", "steps")
STEP_FIELDS: Final = (
    "label key depends_on commands command device num_devices num_nodes working_dir env timeout_in_minutes parallelism "
    "optional soft_fail source_file_dependencies mirror retry concurrency concurrency_group agent_tags dind no_plugin "
    "no_gpu mount_buildkite_agent"
).split()
MIRROR_FIELDS: Final = (
    "label device depends_on commands command working_dir env timeout_in_minutes parallelism optional soft_fail "
    "source_file_dependencies concurrency concurrency_group dind"
).split()
SETTINGS_FIELDS: Final = ("name job_dirs run_all_patterns run_all_exclude_patterns registries repositories").split()

_DROPPED_FROM_KEYS: Final = str.maketrans(dict.fromkeys("()%", ""))
_DASHED_IN_KEYS: Final = str.maketrans(dict.fromkeys(" ,+:./", "-"))


@dataclass(frozen=True, slots=True, kw_only=True)
class OldStep:
    """A step as it was written. `key` is the authored one, else the one that its label gives it."""

    label: str
    key: str
    authored_key: bool
    fields: Fields
    mirrors: Mapping[str, Fields]
    line: int

    @property
    def span(self) -> Span:
        """Where it begins."""
        return self.fields.span


@dataclass(frozen=True, slots=True, kw_only=True)
class OldFile:
    """A step file: a group, what its steps wait for unless they say otherwise, and the steps."""

    path: str
    group: str
    depends_on: tuple[Scalar, ...]
    steps: tuple[OldStep, ...]
    comments: Comments
    lines: tuple[int, int]
    """Where the group and the list of steps begin, for the comments that stand there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """A settings file: which folders make a pipeline, and what runs all of it."""

    path: str
    name: str
    folders: tuple[Scalar, ...]
    run_all: tuple[Scalar, ...]
    run_all_excluded: tuple[Scalar, ...]
    registry: str | None
    repositories: Mapping[str, str]


def stem_of(path: str) -> str:
    """A file's name without its suffix."""
    return posixpath.splitext(posixpath.basename(path))[0]


def key_of(label: str) -> str:
    """The key of a step that has none of its own: its label in small letters, with hyphens."""
    return label.lower().translate(_DROPPED_FROM_KEYS).translate(_DASHED_IN_KEYS)


def read_settings(tree: Tree, path: str, report: Report) -> Settings | None:
    """Read a settings file; None if a diagnostic says why not."""
    root = _root(tree, path, report)
    if root is None:
        return None
    fields = fields_of(root, "the settings", report)
    _refuse_unknown(fields, SETTINGS_FIELDS, {}, report)
    if not fields.texts("job_dirs"):
        report.add(
            codes.BROKEN_FILE, root.span, 'the settings lack "job_dirs"', hint="it is the folders with the steps"
        )
        return None
    return Settings(
        path=path,
        name=_name(fields, path, report),
        folders=fields.texts("job_dirs"),
        run_all=fields.texts("run_all_patterns"),
        run_all_excluded=fields.texts("run_all_exclude_patterns"),
        registry=fields.text("registries"),
        repositories={
            entry.key.text: entry.value.text
            for entry in fields.mapping("repositories")
            if isinstance(entry.value, Scalar)
        },
    )


def _name(fields: Fields, path: str, report: Report) -> str:
    """The pipeline's name, or the nearest that the workspace can call it by."""
    name = fields.text("name") or stem_of(path)
    plain = re.sub(r"[^A-Za-z0-9_.-]", "-", name).lstrip("_.-") or "pipeline"
    if plain != name:
        report.add(codes.NOT_CARRIED, fields.at("name"), f'"{name}" is no name of a pipeline: it becomes "{plain}"')
    return plain


def named_apart(settings: Settings, others: Sequence[Settings], report: Report) -> Settings:
    """The settings under a name that no other pipeline of the workspace has."""
    names = {other.name for other in others}
    if settings.name not in names:
        return settings
    name = next(name for number in count(2) if (name := f"{settings.name}-{number}") not in names)
    message = f'another pipeline is called "{settings.name}": this one becomes "{name}"'
    report.add(codes.NOT_CARRIED, Span(path=settings.path, line=1, column=1), message)
    return replace(settings, name=name)


def step_files(tree: Tree, settings: Settings, report: Report) -> dict[str, str]:
    """The step files of a pipeline, each with the folder that the settings name it by."""
    found: dict[str, str] = {}
    for folder in settings.folders:
        try:
            below = [path for path in tree.under(folder.text) if path.endswith(SUFFIXES)]
        except UnreadableError as error:
            report.add(codes.BROKEN_FILE, folder.span, f'cannot read "{folder.text}": {error}')
            continue
        if not below:
            report.add(codes.BROKEN_FILE, folder.span, f'no step file is in "{folder.text}"')
        for path in below:
            found.setdefault(path, folder.text)
    return found


def read_steps(tree: Tree, path: str, ignored: Mapping[str, str], report: Report) -> OldFile | None:
    """Read a step file; None if nothing of it can be imported.

    `ignored` are fields that never had an effect, each with the one that its author may have meant.
    """
    root = _root(tree, path, report)
    if root is None:
        return None
    fields = fields_of(root, "the file", report)
    _refuse_unknown(fields, FILE_FIELDS, {}, report)
    group = fields.text("group")
    if group is not None and JINJA.search(group):
        report.add(
            codes.NOT_CARRIED, fields.at("group"), f'group "{group}" looks like an expression, and is none there'
        )
        group = JINJA.sub("{ {", group)
    if group is None:
        group = stem_of(path)
        report.add(codes.BROKEN_FILE, root.span, f'the file lacks "group": its steps stand in "{group}"')
    node = fields.node("steps")
    if not isinstance(node, Items):
        found = "nothing" if node is None else describe(node)
        report.add(codes.BROKEN_FILE, fields.at("steps"), f"steps: expected a list of steps, found {found}")
        return None
    steps = [_step(item, ignored, report) for item in node.items]
    content = tree.read(path, limit=MAX_BYTES).decode("utf-8-sig")
    return OldFile(
        path=path,
        group=group,
        depends_on=fields.keys("depends_on"),
        steps=tuple(step for step in steps if step is not None),
        comments=comments_of(content, root),
        lines=(fields.at("group").line, fields.at("steps").line),
    )


def _step(node: Node, ignored: Mapping[str, str], report: Report) -> OldStep | None:
    if not isinstance(node, MappingNode):
        report.add(codes.NO_STEP, node.span, f"expected a step, found {describe(node)}")
        return None
    fields = fields_of(node, "the step", report)
    label, key = fields.text("label"), fields.text("key")
    if label is None and key is None:
        report.add(codes.NO_STEP, node.span, "the step has neither label nor key: nothing can be called after it")
        return None
    _refuse_unknown(fields, STEP_FIELDS, ignored, report)
    mirrors = {}
    for entry in fields.mapping("mirror"):
        if not isinstance(entry.value, MappingNode):
            if not is_null(entry.value):
                report.add(
                    codes.NOT_CARRIED, entry.value.span, f"mirror: expected a mapping, found {describe(entry.value)}"
                )
            continue
        mirror = fields_of(entry.value, f'mirror "{entry.key.text}"', report)
        _refuse_unknown(mirror, MIRROR_FIELDS, ignored, report)
        mirrors[entry.key.text] = mirror
    return OldStep(
        label=label or key or "",
        key=key or key_of(label or ""),
        authored_key=key is not None,
        fields=fields,
        mirrors=mirrors,
        line=node.span.line,
    )


def _refuse_unknown(fields: Fields, known: Iterable[str], ignored: Mapping[str, str], report: Report) -> None:
    names = tuple(known)
    for name, entry in fields.entries.items():
        if name in ignored:
            report.add(
                codes.IGNORED_FIELD,
                entry.key.span,
                f'"{name}" of {fields.what} has no effect',
                hint=f'"{ignored[name]}" has; it is left behind',
            )
        elif name not in names:
            hint = did_you_mean(name, names) if re.fullmatch(r"[a-z_-]+", name) else ""
            report.add(
                codes.UNKNOWN_FIELD,
                entry.key.span,
                f'unknown field "{name}" of {fields.what}',
                hint=hint if hint.startswith("did you mean") else "nothing reads it; it is left behind",
            )


def _root(tree: Tree, path: str, report: Report) -> MappingNode | None:
    """A file's mapping; what YAML itself finds wrong is reported as it is in manifests."""
    trial = Report()
    try:
        root = parse_yaml(tree.read(path, limit=MAX_BYTES), path, trial)
    except UnreadableError as error:
        report.add(codes.BROKEN_FILE, Span(path=path), f'cannot read "{path}": {error}')
        return None
    report.found += [found for found in trial.found if not _is_null_word(found)]
    if root is not None and not isinstance(root, MappingNode):
        report.add(codes.BROKEN_FILE, root.span, f"expected a mapping, found {describe(root)}")
        return None
    return root


def _is_null_word(found: Diagnostic) -> bool:
    """Whether it is about `~`, which a manifest has no use for and a step file says null with."""
    return found.code is reading_codes.WRONG_TYPE and "could be text or null" in found.message
