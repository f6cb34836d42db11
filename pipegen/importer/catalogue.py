"""The fleet's catalogue as written, and the entries that an import adds to it: made like another, with differences."""

from collections.abc import Mapping, Sequence
from dataclasses import field

from pipegen.dataclass import dataclass, replace
from pipegen.importer.nodes import value_of
from pipegen.importer.writing import Bare, Map, Pair, Said, Value, document
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.located import Node, Scalar
from pipegen.model import Hardware


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """An entry like another. `changes` replace its keys, `facts` are laid over its facts; the comment says why."""

    name: str
    like: str
    changes: Mapping[str, Value]
    facts: Mapping[str, Value]
    why: str


@dataclass(slots=True, kw_only=True)
class Catalogue:
    """The entries of the importer's data, and those that this import has needed so far."""

    text: str
    entries: Mapping[str, Hardware]
    nodes: Mapping[str, MappingNode]
    added: dict[str, Addition] = field(default_factory=dict)

    def add(self, addition: Addition) -> str:
        """Add an entry once; its name."""
        self.added.setdefault(addition.name, addition)
        return addition.name

    def known(self, name: str) -> bool:
        """Whether there is an entry of this name."""
        return name in self.entries or name in self.added

    def like(self, name: str) -> Hardware:
        """The entry of the data that this one is, or is made like."""
        while name in self.added:
            name = self.added[name].like
        return self.entries[name]

    def lane(self, name: str) -> str:
        """The lane of an entry."""
        return self._word(name, "lane") or self.like(name).lane

    def title(self, name: str) -> str:
        """What people call it."""
        return self._word(name, "title") or self.like(name).title

    def label(self, name: str) -> str | None:
        """Its format of labels, where it has one of its own."""
        return self._word(name, "label")

    def template(self, name: str) -> str:
        """How its jobs get there."""
        return self._word(name, "template") or ""

    def working_dir(self, name: str) -> str | None:
        """Where its jobs run, where it says so."""
        return self._word(name, "working_dir")

    def gpus(self, name: str) -> tuple[int, ...]:
        """The numbers of GPUs that it offers."""
        changed = self.added[name].changes.get("gpus") if name in self.added else None
        if isinstance(changed, Bare):
            return (int(changed.word),)
        return self.gpus(self.added[name].like) if name in self.added else self.entries[name].gpus

    def cap(self, name: str) -> int | None:
        """The longest timeout that its jobs may have, in minutes."""
        return self.like(name).max_timeout_in_minutes

    def retry(self, name: str) -> Node | None:
        """Its own rules of retries."""
        return self.like(name).layer.nodes.get("retry")

    def _word(self, name: str, key: str) -> str | None:
        if name in self.added:
            changed = self.added[name].changes.get(key)
            if isinstance(changed, str):
                return changed
            return self._word(self.added[name].like, key)
        node = self.nodes[name].get(key)
        return node.text if isinstance(node, Scalar) else None

    def written(self) -> str:
        """The file: the data as it is, and the additions behind it."""
        if not self.added:
            return self.text
        head = "  # --- For what step files ask for and no entry above offers ---"
        body = [self._entry(self.added[name]) for name in sorted(self.added)]
        text = document((), Map(pairs=tuple(body), tall=True))
        indented = "\n".join(f"  {line}" if line else "" for line in text.rstrip("\n").split("\n"))
        return f"{self.text.rstrip()}\n\n{head.ljust(120, '-')}\n\n{indented}\n"

    def _entry(self, addition: Addition) -> Pair:
        pairs = {pair.key: pair for pair in self._pairs(addition)}
        return Pair(
            key=addition.name,
            value=Map(pairs=tuple(pairs.values()), tall=True),
            said=Said(above=(addition.why,)),
            gap=True,
        )

    def _pairs(self, addition: Addition) -> Sequence[Pair]:
        if addition.like in self.added:
            base = list(self._pairs(self.added[addition.like]))
        else:
            base = _pairs_of(self.nodes[addition.like])
        result = [replace(pair, value=addition.changes.get(pair.key, pair.value)) for pair in base]
        result += [
            Pair(key=key, value=value) for key, value in addition.changes.items() if key not in {p.key for p in base}
        ]
        if addition.facts:
            facts = next((pair.value for pair in result if pair.key == "facts"), Map(pairs=()))
            laid = {pair.key: pair for pair in (facts.pairs if isinstance(facts, Map) else ())}
            laid |= {key: Pair(key=key, value=value) for key, value in addition.facts.items()}
            result = [pair for pair in result if pair.key != "facts"]
            result.append(Pair(key="facts", value=Map(pairs=tuple(laid.values()))))
        return result


def _pairs_of(node: MappingNode) -> list[Pair]:
    value = value_of(node)
    return list(value.pairs) if isinstance(value, Map) else []
