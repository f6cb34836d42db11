"""The importer's own knowledge, read from its data: how step files say what the catalogue says, and what follows."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.diagnostics import PipegenError
from pipegen.manifest.containers import plain_of
from pipegen.manifest.located import Report
from pipegen.manifest.yaml import parse_yaml
from pipegen.plain import Plain, PlainMap

RULES: Final = "rules.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Machines whose names hold the card and the number of GPUs.

    A new card's entry is made like the one of `like`, with a queue for each number of `gpus`.
    """

    machine: re.Pattern[str]
    hardware: str
    own: str
    like: str
    queue: str
    gpus: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRule:
    """Steps that the old generator told by their label or key, and the entry that their jobs run on."""

    hardware: str
    label: str = ""
    label_holds: str = ""
    key: str = ""
    machine: str = ""

    def takes(self, label: str, key: str, machine: str) -> bool:
        """Whether a step is meant. `key` is empty where none is authored."""
        return (
            label.startswith(self.label)
            and self.label_holds in label
            and (not self.key or key.startswith(self.key))
            and (not self.machine or machine == self.machine)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Amd:
    """What a mirror and a native job wait for and are selected by."""

    lane: str
    image: tuple[str, str]
    mirror_sources: tuple[str, ...]
    native_sources: tuple[str, ...]
    native: tuple[str, ...]
    label: str
    gate_label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapper:
    """A script that quotes the expressions in its arguments once more, and the template that spares them that."""

    call: str
    template: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """See `fleet/rules.yaml`, which says what each is for."""

    default_machine: str
    machines: tuple[str, ...]
    without_gpu: str
    families: tuple[Family, ...]
    unknown_lane: str
    unknown_like: str
    steps: tuple[StepRule, ...]
    always: tuple[str, ...]
    mounts_agent: tuple[str, ...]
    mounts_agent_fact: str
    templates: Mapping[str, str]
    containers: tuple[str, ...]
    amd: Amd
    wrappers: tuple[Wrapper, ...]
    working_dir: str
    lost_agent: PlainMap
    substitution: Mapping[str, str]
    upload_time: tuple[str, ...]
    pull_through: str
    main_branch: str
    ignored: Mapping[str, str]


def read_rules(content: bytes) -> Rules:
    """Decode the rules.

    Raises:
        PipegenError: the data of the importer is not what it should be.
    """
    report = Report()
    node = parse_yaml(content, RULES, report)
    plain = None if node is None else plain_of(node, report)
    if report.found or not isinstance(plain, Mapping):
        raise PipegenError(f"the importer's own {RULES} cannot be read: {[found.message for found in report.found]}")
    unknown, amd, mounts_agent = (_map(plain[name]) for name in ("unknown", "amd", "mounts_agent"))
    image = _map(amd["image"])
    return Rules(
        default_machine=str(plain["default_machine"]),
        machines=_texts(plain["machines"]),
        without_gpu=str(plain["without_gpu"]),
        families=tuple(_family(_map(family)) for family in _list(plain["families"])),
        unknown_lane=str(unknown["lane"]),
        unknown_like=str(unknown["like"]),
        steps=tuple(StepRule(**_text_map(rule)) for rule in _list(plain["steps"])),
        always=_texts(plain["always"]),
        mounts_agent=_texts(mounts_agent["labels"]),
        mounts_agent_fact=str(mounts_agent["fact"]),
        templates=_text_map(plain["templates"]),
        containers=_texts(plain["containers"]),
        amd=Amd(
            lane=str(amd["lane"]),
            image=(str(image["from"]), str(image["to"])),
            mirror_sources=_texts(amd["mirror_sources"]),
            native_sources=_texts(amd["native_sources"]),
            native=_texts(amd["native"]),
            label=str(amd["label"]),
            gate_label=str(amd["gate_label"]),
        ),
        wrappers=tuple(Wrapper(**_text_map(wrapper)) for wrapper in _list(plain["wrappers"])),
        working_dir=str(plain["working_dir"]),
        lost_agent=_map(plain["lost_agent"]),
        substitution=_text_map(plain["substitution"]),
        upload_time=_texts(plain["upload_time"]),
        pull_through=str(plain["pull_through"]),
        main_branch=str(plain["main_branch"]),
        ignored=_text_map(plain["ignored"]),
    )


def _family(family: PlainMap) -> Family:
    return Family(
        machine=re.compile(str(family["machine"])),
        hardware=str(family["hardware"]),
        own=str(family["own"]),
        like=str(family["like"]),
        queue=str(family["queue"]),
        gpus=tuple(count for count in _list(family["gpus"]) if isinstance(count, int)),
    )


def _map(value: Plain) -> PlainMap:
    return value if isinstance(value, Mapping) else {}


def _list(value: Plain) -> Sequence[Plain]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def _texts(value: Plain) -> tuple[str, ...]:
    return tuple(str(item) for item in _list(value))


def _text_map(value: Plain) -> dict[str, str]:
    return {name: str(text) for name, text in _map(value).items()}
