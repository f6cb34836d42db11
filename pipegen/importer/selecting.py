"""What selects a job and what it waits for: sources, `when`, dependencies and gates of steps and their mirrors."""

from collections.abc import Sequence

from pipegen.dataclass import dataclass
from pipegen.importer.comments import Comments
from pipegen.importer.fields import Fields
from pipegen.importer.machines import Placement
from pipegen.importer.nodes import said_at
from pipegen.importer.reading import OldFile, OldStep
from pipegen.importer.rules import Rules
from pipegen.importer.sources import Sources, inherited_and, sorted_items
from pipegen.importer.texts import literal
from pipegen.importer.writing import SILENT, Item, List, Map, Pair, Said, plain_list

NIGHTLY = "nightly"
BY_CHANGE = ("changed", NIGHTLY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selecting:
    """Reads the steps of one file."""

    file: OldFile
    rules: Rules
    sources: Sources

    @property
    def comments(self) -> Comments:
        """What is said in the file."""
        return self.file.comments

    def own(self, step: OldStep, placement: Placement) -> list[Pair]:
        """Sources and `when` of a step itself."""
        fields = step.fields
        pairs = []
        optional = fields.boolean("optional")
        items = list(self.sources.items(fields.texts("source_file_dependencies")))
        if placement.native and not optional:
            items = _with(items, self.rules.amd.native_sources)
        if items:
            inherits = bool(self.file.depends_on)
            pairs.append(
                self._pair("sources", inherited_and(items, inherits=inherits), fields, "source_file_dependencies")
            )
        if self._always(step):
            pairs.append(Pair(key="when", value="always"))
        elif optional:
            pairs.append(self._pair("when", NIGHTLY, fields, "optional"))
        return pairs

    def _always(self, step: OldStep) -> bool:
        return step.authored_key and step.key.startswith(self.rules.always)

    def mirror(self, step: OldStep, mirror: Fields, placement: Placement) -> list[Pair]:
        """Sources, `when` and dependencies of a mirror, which has its step's sources as well."""
        amd = self.rules.amd
        pairs = []
        if mirror.boolean("optional", default=step.fields.boolean("optional")):
            pairs.append(Pair(key="when", value=plain_list(["sources", NIGHTLY])))
            pairs.append(Pair(key="sources", value=plain_list(amd.mirror_sources)))
        else:
            given = step.fields.texts("source_file_dependencies")
            steps = {item.value for item in self.sources.items(given)}
            own = self.sources.items(mirror.texts("source_file_dependencies"))
            items = [item for item in own if item.value not in steps]
            items = _with(items, (*amd.mirror_sources, *(amd.native_sources if placement.native else ())))
            inherits = bool(steps) or bool(self.file.depends_on)
            pairs.append(Pair(key="sources", value=inherited_and(items, inherits=inherits)))
            if step.fields.boolean("optional") or self._always(step):
                pairs.append(Pair(key="when", value=plain_list(BY_CHANGE)))
        names = self._stated(mirror) or self._stated(step.fields) or ()
        # The first on the lane is its image, which the entry puts in front by itself.
        others = self._for_amd(names)[1:] if placement.amd else names
        if others:
            pairs.append(Pair(key="depends_on", value=plain_list(others)))
        return pairs

    def gate_label(self, step: OldStep) -> Pair:
        """The gate of a mirror that has no label of its own."""
        text = literal(self.rules.amd.gate_label.format(label=step.label))
        return Pair(key="gate", value=Map(pairs=(Pair(key="label", value=text),)))

    def depends_on(self, fields: Fields, placement: Placement) -> list[Pair]:
        """What a step waits for, where its file does not say the same."""
        stated = self._stated(fields)
        if placement.amd:
            names = self._for_amd(stated or ())
            pairs = [] if names == names[:1] and not self.file.depends_on else [self._waits(names, fields)]
            if names[1:]:
                gate = Map(pairs=(Pair(key="depends_on", value=plain_list(names)),))
                pairs.append(Pair(key="gate", value=gate))
            return pairs
        if stated is None or (stated and set(stated) == {item.text for item in self.file.depends_on}):
            return []
        return [self._waits(stated, fields)]

    def _waits(self, names: Sequence[str], fields: Fields) -> Pair:
        return self._pair("depends_on", plain_list(names), fields, "depends_on")

    def _stated(self, fields: Fields) -> tuple[str, ...] | None:
        """What a step waits for: its own list, else its file's; an empty one counts where the file has none."""
        own = tuple(item.text for item in fields.keys("depends_on"))
        if own:
            return own
        from_file = tuple(item.text for item in self.file.depends_on)
        return from_file or (() if "depends_on" in fields else None)

    def _for_amd(self, names: Sequence[str]) -> list[str]:
        """The image of the lane in the place of the other, and in front."""
        image, own = self.rules.amd.image
        mapped = dict.fromkeys(own if name == image else name for name in names)
        return [own, *(name for name in mapped if name != own)]

    def _pair(self, key: str, value: "str | List", fields: Fields, field: str) -> Pair:
        said = said_at(self.comments, fields.at(field).line) if field in fields else SILENT
        if fields.at(field).line == fields.span.line:
            said = Said(beside=said.beside)
        return Pair(key=key, value=value, said=said)


def _with(items: Sequence[Item], patterns: Sequence[str]) -> list[Item]:
    known = {item.value for item in items}
    added = [*items, *(Item(value=pattern) for pattern in patterns if pattern not in known)]
    return added if any(item.said for item in added) else list(sorted_items(added))
