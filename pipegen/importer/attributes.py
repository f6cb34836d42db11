"""Fields that keep their name: timeouts, retries, environment and the like, as the old generator understood them."""

from collections.abc import Iterator, Mapping, Sequence

from pipegen.dataclass import dataclass
from pipegen.importer import codes
from pipegen.importer.catalogue import Catalogue
from pipegen.importer.comments import Comments
from pipegen.importer.fields import Fields, boolean_of
from pipegen.importer.machines import Placement
from pipegen.importer.nodes import said_at, value_of
from pipegen.importer.rules import Rules
from pipegen.importer.texts import Texts
from pipegen.importer.writing import SILENT, Bare, Item, List, Map, Pair, Said, Value
from pipegen.manifest.fields import ENV_PATTERN
from pipegen.manifest.located import Entry, Items, Node, Report, Scalar
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.model import Lane


@dataclass(frozen=True, slots=True, kw_only=True)
class Attributes:
    """Reads the steps of one file."""

    rules: Rules
    catalogue: Catalogue
    lanes: Mapping[str, Lane]
    comments: Comments
    texts: Texts
    report: Report

    def of(self, fields: Fields, placement: Placement, *, is_mirror: bool, step: Fields | None = None) -> list[Pair]:
        """The attributes of a step, or of a mirror of `step`."""
        pairs = [*self._timeout(fields, placement), *self._soft_fail(fields, step), *self._environment(fields)]
        at_once, group = fields.count("concurrency"), fields.text("concurrency_group")
        if at_once is not None:
            pairs.append(self._pair("concurrency", Bare(str(at_once)), fields))
        if group is not None:
            text = self.texts.value(group, fields.at("concurrency_group"))
            pairs.append(self._pair("concurrency_group", text, fields))
        if is_mirror:
            pairs += self._retry_of_step(step, placement)
        else:
            pairs += self._retry(fields, placement)
        return pairs

    def tagged(self, hardware: str, tags: Sequence[Entry]) -> Map:
        """An entry with the agent tags that a step asks for."""
        chosen = tuple(
            Pair(key=tag.key.text, value=self.texts.value(tag.value.text, tag.value.span))
            for tag in tags
            if isinstance(tag.value, Scalar)
        )
        return Map(pairs=(Pair(key=hardware, value=Map(pairs=chosen)),))

    def _timeout(self, fields: Fields, placement: Placement) -> Iterator[Pair]:
        minutes = fields.count("timeout_in_minutes")
        if minutes is None:
            return
        cap = self.catalogue.cap(placement.hardware)
        span = fields.at("timeout_in_minutes")
        if cap is not None and minutes > cap:
            self.report.add(
                codes.NOT_CARRIED,
                span,
                f'{minutes} minutes are above what "{placement.hardware}" allows: it gets {cap}',
                hint=f"at most {cap}: shard the tests, or raise max_timeout_in_minutes of the entry",
            )
            minutes = cap
        yield self._pair("timeout_in_minutes", Bare(str(minutes)), fields)

    def _soft_fail(self, fields: Fields, step: Fields | None) -> Iterator[Pair]:
        given = fields.node("soft_fail")
        truth = None if given is None else boolean_of(given)
        if truth is None:
            node = fields.shaped("soft_fail")
            if node is not None:
                yield self._pair("soft_fail", value_of(node), fields)
        elif truth or (step is not None and "soft_fail" in step):
            yield self._pair("soft_fail", Bare("true" if truth else "false"), fields)

    def _environment(self, fields: Fields) -> Iterator[Pair]:
        pairs = []
        for entry in fields.mapping("env"):
            name = entry.key.text
            if not ENV_PATTERN.fullmatch(name) or not isinstance(entry.value, Scalar):
                self.report.add(
                    codes.NOT_CARRIED, entry.key.span, f'"{name}" is no variable with a text', hint="it is left behind"
                )
                continue
            text = self.texts.value(entry.value.text, entry.value.span)
            pairs.append(Pair(key=name, value=text, said=said_at(self.comments, entry.key.span.line)))
        if pairs:
            yield self._pair("env", Map(pairs=tuple(pairs)), fields)

    def _retry(self, fields: Fields, placement: Placement) -> Iterator[Pair]:
        node = fields.shaped("retry")
        if node is None:
            return
        if placement.amd:
            self.report.add(
                codes.IGNORED_FIELD,
                fields.at("retry"),
                f'"retry" has no effect on lane {placement.lane}, which has its own',
                hint="it is left behind",
            )
            return
        yield self._pair("retry", self._with_rules(node, placement), fields)

    def _retry_of_step(self, step: Fields | None, placement: Placement) -> Iterator[Pair]:
        """A mirror never retries as its step does: its lane's rules, written out where the step has some to inherit."""
        if step is not None and "retry" in step:
            rules = self._rules_of(placement)
            yield Pair(key="retry", value=Map(pairs=(Pair(key="automatic", value=List(items=rules)),)))

    def _with_rules(self, node: Node, placement: Placement) -> Value:
        """The step's rules, behind those of its entry or lane that it does not have."""
        automatic = node.get("automatic") if isinstance(node, MappingNode) else None
        own = (
            [automatic]
            if isinstance(automatic, MappingNode)
            else automatic.items
            if isinstance(automatic, Items)
            else []
        )
        if not isinstance(node, MappingNode) or not own:
            return value_of(node, self.comments)
        items = [Item(value=value_of(rule, self.comments), said=self._said_in(rule)) for rule in own]
        reasons = {_reason(item.value) for item in items}
        front = [item for item in self._rules_of(placement) if _reason(item.value) not in reasons]
        kept = tuple(
            Pair(key=entry.key.text, value=value_of(entry.value))
            for entry in node.entries
            if entry.key.text != "automatic"
        )
        return Map(pairs=(Pair(key="automatic", value=List(items=(*front, *items))), *kept))

    def _rules_of(self, placement: Placement) -> tuple[Item, ...]:
        lane = self.lanes.get(placement.lane)
        node = self.catalogue.retry(placement.hardware) or (lane.layer.nodes.get("retry") if lane else None)
        automatic = node.get("automatic") if isinstance(node, MappingNode) else None
        return tuple(Item(value=value_of(rule)) for rule in automatic.items) if isinstance(automatic, Items) else ()

    def _said_in(self, node: Node) -> Said:
        """What is said about a rule, which is written on one line now."""
        said = said_at(self.comments, node.span.line)
        return said if said else SILENT

    def _pair(self, key: str, value: Value, fields: Fields) -> Pair:
        said = said_at(self.comments, fields.at(key).line)
        if fields.at(key).line == fields.span.line:
            said = Said(beside=said.beside)
        return Pair(key=key, value=value, said=said)


def _reason(rule: Value) -> str:
    """What a rule of retries is about."""
    if not isinstance(rule, Map):
        return str(rule)
    return "; ".join(f"{pair.key}={pair.value}" for pair in rule.pairs if pair.key != "limit")
