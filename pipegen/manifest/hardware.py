"""The catalogue's files, decoded: which machines there are and what they offer."""

from collections.abc import Mapping
from typing import Final

from pipegen import codes
from pipegen.diagnostics import Related
from pipegen.manifest.containers import ListOf, MapOf, one_of, plain_of
from pipegen.manifest.fields import ANY_MAP, FIXED, NAME, Level
from pipegen.manifest.layers import Layer, read_layer
from pipegen.manifest.located import Items, Node, Report, Scalar
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.record import Field, PlainRecord, Record
from pipegen.manifest.shape import Integer, Text, Word
from pipegen.model import Hardware, JobShell, Located, Workspace
from pipegen.plain import Plain

_COUNT: Final = Integer(minimum=1)
_COUNT_NAME: Final = Text(what="a number of GPUs", pattern=None, jinja=False)
TITLE: Final[Field[object]] = Field(name="title", shape=Text(), about="what people call it")
LANE: Final[Field[object]] = Field(name="lane", shape=NAME, about="the lane that its jobs count for", required=True)
QUEUE: Final[Field[object]] = Field(
    name="queue",
    shape=one_of(Text(), MapOf(value=Text(), name=_COUNT_NAME, at_least=1)),
    about="the agents' queue, or one for each number of GPUs",
    required=True,
)
GPUS: Final[Field[object]] = Field(
    name="gpus",
    shape=ListOf(item=_COUNT, one=True, at_least=1),
    about="how many GPUs it offers, one number or a choice",
)
NODES: Final[Field[object]] = Field(
    name="nodes",
    shape=ListOf(item=_COUNT, one=True, at_least=1),
    about="how many machines at once it offers",
    default=1,
)
MEMORY: Final[Field[object]] = Field(name="memory_gib", shape=Integer(minimum=1), about="memory of one GPU in GiB")
TAGS: Final[Field[object]] = Field(
    name="tags", shape=ListOf(item=FIXED, one=True), about="agent tags that a step may ask for"
)
CAP: Final[Field[object]] = Field(
    name="max_timeout_in_minutes", shape=_COUNT, about="the longest timeout that its jobs may have"
)
FACTS: Final[Field[object]] = Field(name="facts", shape=ANY_MAP, about="anything else that its template reads")
SHELL_NAME: Final = Field(
    name="name", shape=Word(choices=("bash", "sh")), about="bash, or a shell that knows POSIX alone", default="bash"
)
SHELL_OPTIONS: Final = Field(
    name="options",
    shape=ListOf(item=Word(choices=("errexit", "pipefail")), one=True),
    about="what it is started with",
    default=["errexit"],
)
SHELL_JOIN: Final = Field(
    name="join",
    shape=Word(choices=("newline", "&&")),
    about="what its template puts between commands",
    default="newline",
)
SHELL: Final[Field[object]] = Field(
    name="shell",
    shape=one_of(
        Word(choices=("bash", "sh")),
        PlainRecord(record=Record(what="a shell", fields=(SHELL_NAME, SHELL_OPTIONS, SHELL_JOIN))),
    ),
    about="the shell that its jobs' commands reach, for the lint: by name, or how it is started",
    default="bash",
    example="sh",
)
GROUP: Final[Field[object]] = Field(name="group", shape=FIXED, about="the group of its jobs, instead of the file's")
HARDWARE_EXTRA: Final = (TITLE, LANE, QUEUE, GPUS, NODES, MEMORY, TAGS, CAP, SHELL, FACTS, GROUP)
ENTRIES: Final[Field[object]] = Field(
    name="hardware", shape=ANY_MAP, about="the machines that jobs run on, by name", required=True
)


def decode_hardware(roots: Mapping[str, Node], workspace: Workspace, report: Report) -> Mapping[str, Hardware]:
    """Decode the catalogue's files by path; files add up, and a name defined twice is an error."""
    result: dict[str, Hardware] = {}
    for root in roots.values():
        if not isinstance(root, MappingNode):
            Record(what="the catalogue", fields=(ENTRIES,)).read(root, report, "catalogue")
            continue
        entries = root.get("hardware")
        only = Record(
            what="the catalogue", fields=(Field(name="hardware", shape=_Mapping(), about="entries", required=True),)
        )
        only.read(root, report, "catalogue")
        for entry in entries.entries if isinstance(entries, MappingNode) else ():
            name = entry.key.text
            if (first := result.get(name)) is not None:
                report.add(
                    codes.DUPLICATE_NAME,
                    entry.key.span,
                    f'hardware "{name}" is defined twice',
                    hint="give one of them another name",
                    related=(Related(span=first.span, note="first here"),),
                )
                continue
            NAME.read(Scalar(text=name, plain=False, span=entry.key.span), report, "name of hardware")
            if (hardware := _decode(name, entry.key, entry.value, workspace, report)) is not None:
                result[name] = hardware
    return result


class _Mapping(MapOf[Plain]):
    """A mapping whose values are read by `_decode`."""

    def __init__(self) -> None:
        super().__init__(value=ANY_MAP.value, name=NAME)

    def read(self, node: Node, report: Report, at: str) -> Mapping[str, Plain] | None:
        """See `Shape.read`."""
        if not isinstance(node, MappingNode):
            return super().read(node, report, at)
        return {}


def _decode(name: str, key: Scalar, node: Node, workspace: Workspace, report: Report) -> Hardware | None:
    layer = read_layer(node, Level.HARDWARE, name, HARDWARE_EXTRA, report)
    if layer is None:
        return None
    extra = layer.extra
    for field in HARDWARE_EXTRA:
        if field.required and field.name not in extra and field.name not in layer.faulty:
            report.add(
                codes.MISSING_KEY,
                key.span,
                f'hardware "{name}" lacks "{field.name}"',
                hint=f"add {field.name}: {field.about}",
            )
    lane = _text(extra.get("lane")) or ""
    wrong = "lane" not in layer.faulty and lane not in workspace.lanes and workspace.is_sure("lanes", lane)
    if wrong and (node_ := extra.get("lane")) is not None:
        report.add(
            codes.UNKNOWN_REFERENCE,
            node_.span,
            f'unknown lane "{lane}"',
            hint=report.did_you_mean(lane, workspace.lanes),
        )
    queues = _queues(extra.get("queue"), report)
    counts = tuple(count for count in queues if count is not None)
    gpus = _integers(extra.get("gpus")) or counts
    for count in sorted(set(gpus) - set(counts)) if counts else ():
        report.add(
            codes.MISSING_KEY,
            extra["queue"].span,
            f'hardware "{name}" offers {count} GPUs and names no queue for them',
            hint=f"add {count}: QUEUE to queue, or take {count} out of gpus",
        )
    cap = _integers(extra.get("max_timeout_in_minutes"))
    group = extra.get("group")
    return Hardware(
        name=name,
        title=_text(extra.get("title")) or name,
        lane=lane,
        queues=queues,
        gpus=tuple(sorted(set(gpus))),
        nodes=_integers(extra.get("nodes")) or (1,),
        tags=_texts(extra.get("tags")),
        max_timeout_in_minutes=cap[0] if cap else None,
        group=Located(text=group.text, span=group.span) if isinstance(group, Scalar) else None,
        facts=_facts(extra, layer),
        layer=layer,
        span=key.span,
        shell=_shell(extra.get("shell")),
    )


def _facts(extra: Mapping[str, Node], layer: Layer) -> Mapping[str, Plain]:
    """What a template reads of the entry beyond what pipegen knows: free data, and the memory of a GPU."""
    facts: dict[str, Plain] = {}
    if (node := extra.get("facts")) is not None:
        read = plain_of(node, Report())
        facts = dict(read) if isinstance(read, Mapping) else {}
    memory = _integers(extra.get("memory_gib"))
    return {"memory_gib": memory[0] if memory else None, "name": layer.name, **facts}


def _shell(node: Node | None) -> JobShell:
    """What the jobs' commands reach; what is no shell was reported when the layer was read."""
    if not isinstance(node, MappingNode):
        return JobShell(name=_text(node) or "bash")
    options = node.get("options")
    known = {"errexit"} if options is None else {*_texts(options)}
    return JobShell(
        name=_text(node.get("name")) or "bash",
        errexit="errexit" in known,
        pipefail="pipefail" in known,
        joined=_text(node.get("join")) == "&&",
    )


def _queues(node: Node | None, report: Report) -> Mapping[int | None, str]:
    match node:
        case Scalar():
            return {None: node.text}
        case MappingNode():
            result: dict[int | None, str] = {}
            for entry in node.entries:
                count = _COUNT.read(entry.key, report, "number of GPUs")
                if count is not None and isinstance(entry.value, Scalar):
                    result[count] = entry.value.text
            return result
        case _:
            return {}


def _text(node: Node | None) -> str | None:
    return node.text if isinstance(node, Scalar) else None


def _texts(node: Node | None) -> tuple[str, ...]:
    items = node.items if isinstance(node, Items) else () if node is None else (node,)
    return tuple(item.text for item in items if isinstance(item, Scalar))


def _integers(node: Node | None) -> tuple[int, ...]:
    """The numbers of a list, or one number; what is none was reported when the layer was read."""
    read = ListOf(item=_COUNT, one=True).read(node, Report(), "") if node is not None else None
    return read or ()
