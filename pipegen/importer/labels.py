"""Labels as titles, where the lane's format makes the same label of them."""

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.importer.catalogue import Catalogue
from pipegen.importer.machines import Placement
from pipegen.jinja import Expressions, JinjaError, Names
from pipegen.manifest.located import Scalar
from pipegen.model import Lane

_MARK: Final = "\ufdd7"
_SHARD: Final = " %N"


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """Knows how each lane and entry makes labels."""

    lanes: Mapping[str, Lane]
    catalogue: Catalogue
    expressions: Expressions = field(default_factory=Expressions)

    def title_of(self, label: str, placement: Placement, *, sharded: bool) -> str | None:
        """The title that gives this label; None where only the label itself does."""
        before, behind = self._format(placement)
        if not (label.startswith(before) and label.endswith(behind)):
            return None
        title = label[len(before) : len(label) - len(behind)]
        if sharded:
            if not title.endswith(_SHARD):
                return None
            title = title.removesuffix(_SHARD)
        return title if title.strip() and title == title.strip() else None

    def _format(self, placement: Placement) -> tuple[str, str]:
        """What stands before and behind the title."""
        text = self.catalogue.label(placement.hardware) or self._lane_format(placement.lane)
        hardware = {
            "title": self.catalogue.title(placement.hardware),
            "name": placement.hardware,
            "gpus": placement.gpus or (self.catalogue.gpus(placement.hardware) or (0,))[0],
        }
        try:
            shown = self.expressions.evaluate(text, {"hardware": Names("hardware", hardware), "title": _MARK})
        except JinjaError:
            return "", ""
        before, _, behind = shown.partition(_MARK)
        return before, behind

    def _lane_format(self, lane: str) -> str:
        node = self.lanes[lane].layer.nodes.get("label") if lane in self.lanes else None
        return node.text if isinstance(node, Scalar) else "{{ title }}"
