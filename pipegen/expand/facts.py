"""The catalogue's free data, with its expressions evaluated for this build."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pipegen.expand.reading import Reader
from pipegen.manifest.located import Scalar
from pipegen.model import Catalogue, Hardware
from pipegen.plain import Plain


def with_facts(catalogue: Catalogue, reader: Reader, names: Mapping[str, object]) -> Catalogue:
    """The catalogue whose `facts` hold no expressions any more; what cannot be evaluated is reported at its entry."""
    hardware = {name: _evaluated(entry, reader, names) for name, entry in catalogue.hardware.items()}
    return replace(catalogue, hardware=hardware)


def _evaluated(entry: Hardware, reader: Reader, names: Mapping[str, object]) -> Hardware:
    facts = _plain(entry.facts, entry, reader, names)
    return replace(entry, facts=facts) if isinstance(facts, Mapping) and facts != entry.facts else entry


def _plain(value: Plain, entry: Hardware, reader: Reader, names: Mapping[str, object]) -> Plain:
    match value:
        case str():
            return reader.text(Scalar(text=value, plain=False, span=entry.span), names) or ""
        case Mapping():
            return {name: _plain(inner, entry, reader, names) for name, inner in value.items()}
        case Sequence():
            return [_plain(inner, entry, reader, names) for inner in value]
        case _:
            return value
