"""The typed attributes of a job: environment, timeout, template, and Buildkite's own."""

from collections.abc import Mapping

from pipegen import codes
from pipegen.expand.placement import Placement
from pipegen.expand.reading import Reader, number_of, text_of
from pipegen.expand.variation import Variation
from pipegen.manifest.fields import SETTING_VALUE
from pipegen.manifest.layers import FIELDS, Nodes
from pipegen.manifest.record import Values
from pipegen.model import Limits, Located
from pipegen.plain import Plain, PlainMap


def environment(nodes: Nodes, reader: Reader, names: Mapping[str, object]) -> Mapping[str, str]:
    """The variables of a job, by name; of a toggle's long form the value."""
    read = reader.read(nodes, "env", names)
    result: dict[str, str] = {}
    for name, value in sorted(read.items()) if isinstance(read, Mapping) else ():
        text = value.get(SETTING_VALUE) if isinstance(value, Values) else value
        if isinstance(text, str):
            result[name] = text
    return result


def timeout(variation: Variation, limits: Limits, reader: Reader, names: Mapping[str, object]) -> int | None:
    """The timeout in minutes. Above what the hardware allows is an error, never a clamp."""
    hardware = variation.hardware
    minutes = number_of(reader.read(variation.nodes, "timeout_in_minutes", names))
    if minutes is None:
        minutes = limits.timeout_in_minutes
    cap = hardware.max_timeout_in_minutes
    if minutes is not None and cap is not None and minutes > cap:
        node = variation.nodes.get("timeout_in_minutes")
        reader.report.add(
            codes.TIMEOUT_ABOVE_CAP,
            variation.place if node is None else node.span,
            f'timeout_in_minutes: "{minutes}" is above what hardware "{hardware.name}" allows',
            hint=f"write at most {cap}, shard the tests, or raise max_timeout_in_minutes of the entry",
        )
    if minutes is None and "timeout_in_minutes" not in {*variation.nodes, *variation.doubtful}:
        reader.report.add(
            codes.NO_TIMEOUT,
            variation.place,
            f"{variation.called} has no timeout",
            hint="add timeout_in_minutes: a job that hangs holds its machine",
        )
    return minutes


def template(variation: Variation, reader: Reader) -> Located | None:
    """The template that renders the job; None with a diagnostic where nothing names one."""
    name = text_of(reader.read(variation.nodes, "template", {}))
    if name is not None:
        return Located(text=name, span=variation.nodes["template"].span)
    if "template" not in {*variation.nodes, *variation.doubtful}:
        entry = variation.hardware
        reader.report.add(
            codes.MISSING_KEY,
            entry.span,
            f'hardware "{entry.name}" names no template',
            hint="add template: the name of a template",
        )
    return None


def buildkite_attributes(nodes: Nodes, placement: Placement, reader: Reader, names: Mapping[str, object]) -> PlainMap:
    """Buildkite's own attributes as they stand in the step; `agents` with the queue and the tags."""
    result: dict[str, Plain] = {}
    for name, field in FIELDS.items():
        if field.buildkite and name in nodes:
            value = reader.read_plain(nodes, name, names)
            if value is not None:
                result[name] = value
    authored = result.get("agents")
    if isinstance(authored, Mapping) and "queue" in authored:
        reader.report.add(
            codes.CONTRADICTION,
            nodes["agents"].span,
            f'agents names a queue, and hardware "{placement.hardware.name}" has one',
            hint="name hardware that has this queue",
        )
    result["agents"] = {
        "queue": placement.queue,
        **placement.tags,
        **(authored if isinstance(authored, Mapping) else {}),
    }
    return result
