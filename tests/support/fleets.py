"""Random valid workspaces: a small model of what an author might mean, and the files that say it.

The model is what tests count and reason on by themselves; `files` is what pipegen is given. Everything that the
language lets vary freely (which file holds what, the order of entries) is drawn from a seed of its own, so that one
model can be written in many ways.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from hypothesis import strategies as st

from tests.support.compiled import Value, block

LANE_OF: Final[Mapping[str, str]] = {"cuda1": "cuda", "cuda2": "cuda", "amd1": "amd", "cpu1": "cpu"}
EXPRESSIONS: Final = (
    "alpha",
    "beta",
    "gamma",
    "alpha or beta",
    "not gamma",
    "alpha and not beta",
    "not (beta or gamma)",
)
FOLDERS: Final = ("a", "b", "a/b", "a/c", "a/b/d", "a/b/e", "b/f", "b/f/g")
TEST_FILES: Final = tuple(f"{folder}/test_{number}.py" for folder in FOLDERS for number in (1, 2))
TEMPLATE: Final = "commands: {{ job.commands | map(attribute='run') | list | tojson }}\nenv: {{ job.env | tojson }}\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirror:
    """A mirror: where it runs (None: a reasoned `none` on lane amd), and what is different about it."""

    name: str
    hardware: str | None
    without_parts: bool = False
    without_part: str | None = None
    without_variants: bool = False
    further_variant: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step: its parts by name with their expression (None: the rest), its variants and mirrors.

    `only_here` names mirrors that a part drops, by part; `narrow` is the step's own expression, `rest` that it takes
    what its siblings leave.
    """

    name: str | None
    hardware: str
    parts: Mapping[str, str | None] = field(default_factory=dict)
    variants: tuple[str, ...] = ()
    mirrors: tuple[Mirror, ...] = ()
    only_here: Mapping[str, str] = field(default_factory=dict)
    narrow: str | None = None
    rest: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """An area: what it owns, and its steps (one without a name: the area is the step)."""

    name: str
    tests: tuple[str, ...]
    separate: bool
    env: Mapping[str, str]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A manifest: a group, its order, a default, areas, and steps that run no tests."""

    group: str
    order: int
    env: Mapping[str, str]
    areas: tuple[Area, ...]
    plain: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """A workspace."""

    sheets: tuple[Sheet, ...]

    @property
    def areas(self) -> tuple[Area, ...]:
        """All areas."""
        return tuple(area for sheet in self.sheets for area in sheet.areas)

    def files(self, seed: int = 0) -> dict[str, str]:
        """The files that say it; another seed says the same in another order."""
        writer = _Writer(random.Random(seed))
        return writer.files(self)


# --- Strategies ------------------------------------------------------------------------------------------------------


def _envs() -> st.SearchStrategy[Mapping[str, str]]:
    return st.dictionaries(st.sampled_from(("A", "B", "C")), st.sampled_from(("1", "on", "0x1F", "")), max_size=2)


@st.composite
def _parts(draw: st.DrawFn) -> Mapping[str, str | None]:
    count = draw(st.integers(1, 3))
    names = ("p", "q", "r")[:count]
    shares: dict[str, str | None] = {name: draw(st.sampled_from(EXPRESSIONS)) for name in names}
    return {**shares, "others": None}


@st.composite
def _mirrors(draw: st.DrawFn, hardware: str, parts: Sequence[str], variants: Sequence[str]) -> tuple[Mirror, ...]:
    found = []
    places: list[tuple[str, str | None]] = [("again", "cuda2" if LANE_OF[hardware] == "cuda" else hardware)]
    if LANE_OF[hardware] != "amd":
        places.append(("amd", draw(st.sampled_from(("amd1", None)))))
    for name, place in places:
        if draw(st.booleans()):
            continue
        change = draw(st.sampled_from(("none", "parts", "part", "variants", "variant"))) if place else "none"
        found.append(
            Mirror(
                name=name,
                hardware=place,
                without_parts=change == "parts" and bool(parts),
                without_part=draw(st.sampled_from(parts)) if change == "part" and len(parts) > 2 else None,
                without_variants=change == "variants" and bool(variants),
                further_variant="further" if change == "variant" else None,
            )
        )
    return tuple(found)


@st.composite
def _steps(draw: st.DrawFn, name: str | None, *, narrow: str | None = None, rest: bool = False) -> Step:
    hardware = draw(st.sampled_from(("cuda1", "cuda1", "amd1", "cpu1")))
    parts = draw(_parts()) if draw(st.booleans()) else {}
    variants = tuple(draw(st.lists(st.sampled_from(("v", "no", "1.10")), max_size=2, unique=True)))
    shares = [part for part in parts if part != "others"]
    mirrors = draw(_mirrors(hardware, shares, variants))
    plain = [mirror.name for mirror in mirrors if mirror.hardware and mirror == _bare(mirror)]
    drops = draw(st.booleans()) and bool(shares and plain)
    dropped = draw(st.sampled_from(shares)) if drops else None
    return Step(
        name=name,
        hardware=hardware,
        parts=parts,
        variants=variants,
        mirrors=mirrors,
        only_here={} if dropped is None else {dropped: plain[0]},
        narrow=narrow,
        rest=rest,
    )


def _bare(mirror: Mirror) -> Mirror:
    return Mirror(name=mirror.name, hardware=mirror.hardware)


@st.composite
def _areas(draw: st.DrawFn, number: int, tests: tuple[str, ...]) -> Area:
    if draw(st.integers(0, 3)):
        steps: tuple[Step, ...] = (draw(_steps(None)),)
    else:
        expressions = draw(st.lists(st.sampled_from(EXPRESSIONS), min_size=1, max_size=2, unique=True))
        named = [draw(_steps(f"s{at}", narrow=text)) for at, text in enumerate(expressions)]
        steps = (*named, draw(_steps("rest", rest=True)))
    inside = any(one != other and (one + "/").startswith(other + "/") for one in tests for other in tests)
    return Area(
        name=draw(st.sampled_from((f"area{number}", f"deep/area_{number}"))),
        tests=tests,
        separate=inside or draw(st.booleans()),
        env=draw(_envs()),
        steps=steps,
    )


@st.composite
def fleets(draw: st.DrawFn) -> Fleet:
    """A workspace of one to four areas over one tree of tests, none of which owns what another one owns."""
    paths: list[str] = draw(st.lists(st.sampled_from((*FOLDERS, *TEST_FILES)), min_size=1, max_size=6, unique=True))
    owners = [draw(st.integers(0, 3)) for _ in paths]
    owned = {number: tuple(p for p, owner in zip(paths, owners, strict=True) if owner == number) for number in range(4)}
    areas = [draw(_areas(number, tests)) for number, tests in owned.items() if tests]
    count = draw(st.integers(1, 3))
    sheets = [
        Sheet(
            group=draw(st.sampled_from(("One", "Two", "Three"))),
            order=draw(st.integers(-1, 1)),
            env=draw(_envs()),
            areas=tuple(area for at, area in enumerate(areas) if at % count == number),
            plain=tuple(f"plain-{number}-{at}" for at in range(draw(st.integers(0, 2)))),
        )
        for number in range(count)
    ]
    return Fleet(sheets=tuple(sheet for sheet in sheets if sheet.areas or sheet.plain))


# --- Writing ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Writer:
    chance: random.Random

    def shuffled(self, entries: Mapping[str, Value]) -> dict[str, Value]:
        """The same mapping with its entries, and those of mappings in it, in another order."""
        items = [
            (name, self.shuffled(value) if isinstance(value, Mapping) else value) for name, value in entries.items()
        ]
        self.chance.shuffle(items)
        return dict(items)

    def files(self, fleet: Fleet) -> dict[str, str]:
        machines: dict[str, Value] = {
            name: {"lane": lane, "queue": f"q-{name}", "template": "plain", "depends_on": ["image"], "env": {"M": name}}
            for name, lane in LANE_OF.items()
        }
        workspace: dict[str, Value] = {
            "version": "1",
            "owners": {"ann": {}},
            "lanes": {"cuda": {"env": {"L": "cuda"}}, "amd": {"group": "AMD", "label": "amd {{ title }}"}, "cpu": {}},
            "external_keys": ["image"],
            "limits": {"timeout_in_minutes": 10},
            "tests": {"pytest": ["pytest"], "checkout": "/w", "working_dir": "/w/tests"},
        }
        result = {
            ".buildkite/pipegen.yaml": block(self.shuffled(workspace)),
            ".buildkite/hardware.yaml": block(self.shuffled({"hardware": machines})),
            "templates/plain.yaml.j2": TEMPLATE,
        }
        names = [f"areas/f{number}.yaml" for number in range(len(fleet.sheets))]
        self.chance.shuffle(names)
        for name, sheet in zip(names, fleet.sheets, strict=True):
            result[name] = block(self.shuffled(_sheet(sheet, self.chance)))
        return result


def _sheet(sheet: Sheet, chance: random.Random) -> dict[str, Value]:
    manifest: dict[str, Value] = {"group": sheet.group, "order": sheet.order, "owner": "ann"}
    manifest |= {"env": sheet.env} if sheet.env else {}
    if sheet.areas:
        manifest["areas"] = {area.name: _area(area) for area in sheet.areas}
    if sheet.plain:
        steps: list[Value] = [{"key": key, "hardware": "cpu1", "commands": ["true"]} for key in sheet.plain]
        chance.shuffle(steps)
        manifest["steps"] = steps
    return manifest


def _area(area: Area) -> dict[str, Value]:
    written: dict[str, Value] = {"tests": list(area.tests)}
    written |= {"separate": True} if area.separate else {}
    written |= {"env": area.env} if area.env else {}
    if len(area.steps) == 1 and area.steps[0].name is None:
        return {**written, **_step(area.steps[0])}
    written["steps"] = {step.name or "": _step(step) for step in area.steps}
    return written


def _step(step: Step) -> dict[str, Value]:
    written: dict[str, Value] = {"hardware": step.hardware}
    written |= {"k": step.narrow} if step.narrow else {}
    written |= {"rest": True} if step.rest else {}
    if step.parts:
        parts: dict[str, Value] = {}
        for name, share in step.parts.items():
            part: dict[str, Value] = {"rest": True} if share is None else {"k": share}
            parts[name] = {**part, **({"mirrors": {step.only_here[name]: None}} if name in step.only_here else {})}
        written["parts"] = parts
    if step.variants:
        written["variants"] = {name: {"env": {"V": name}} for name in step.variants}
    if step.mirrors:
        written["mirrors"] = {mirror.name: _mirror(mirror) for mirror in step.mirrors}
    return written


def _mirror(mirror: Mirror) -> dict[str, Value]:
    if mirror.hardware is None:
        return {"none": "no kernels there", "until": "2999-12-31"}
    written: dict[str, Value] = {"hardware": mirror.hardware}
    written |= {"parts": None} if mirror.without_parts else {}
    written |= {"parts": {mirror.without_part: None}} if mirror.without_part else {}
    written |= {"variants": None} if mirror.without_variants else {}
    written |= {"variants": {mirror.further_variant: {"env": {"V": "further"}}}} if mirror.further_variant else {}
    return written


# --- What a model means, counted by hand -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """A job that there should be."""

    area: str
    step: str | None
    part: str | None
    variant: str | None
    mirror: str | None
    hardware: str

    @property
    def lane(self) -> str:
        """Where it counts."""
        return LANE_OF[self.hardware]

    @property
    def key(self) -> str:
        """Its key: `AREA[-STEP][-PART][-VARIANT]`, a mirror's with its name in front."""
        words = [self.mirror, self.area, self.step, self.part, self.variant]
        return "-".join(word for word in words if word).replace("/", "-").replace("_", "-")


def expected(fleet: Fleet) -> list[Expected]:
    """Every job of an area: of each step and each mirror other than `none`, its own parts by its own variants."""
    return [job for area in fleet.areas for step in area.steps for job in _jobs(area, step)]


def _jobs(area: Area, step: Step) -> Iterable[Expected]:
    for part in step.parts or (None,):
        for variant in step.variants or (None,):
            yield _job(area, step, part, variant, None, step.hardware)
    for mirror in step.mirrors:
        if mirror.hardware is None:
            continue
        parts = [] if mirror.without_parts else [part for part in step.parts if part != mirror.without_part]
        parts = [part for part in parts if step.only_here.get(part) != mirror.name]
        variants = [] if mirror.without_variants else list(step.variants)
        variants += [mirror.further_variant] if mirror.further_variant else []
        for part in parts or (None,):
            for variant in variants or (None,):
                yield _job(area, step, part, variant, mirror.name, mirror.hardware)


def _job(  # noqa: PLR0917 - the five names of a job and its machine
    area: Area, step: Step, part: str | None, variant: str | None, mirror: str | None, hardware: str
) -> Expected:
    return Expected(area=area.name, step=step.name, part=part, variant=variant, mirror=mirror, hardware=hardware)
