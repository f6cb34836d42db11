"""Cutting a pipeline into batches that Buildkite takes one after the other.

Buildkite limits the jobs of an upload, and a step must not wait for a key that is not there yet: it would never run.
So every batch holds at most the limit, and no dependency points to a later batch. Within that, the order stays close to
the document's: what is needed early moves forward, and nothing else moves.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.plain import Plain, PlainMap
from pipegen.upload.components import components
from pipegen.validate.limits import job_count


class UndividableError(ValueError):
    """What belongs together makes more jobs than an upload may have: one step, or steps that wait for each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The groups of one upload. `jobs` is what Buildkite counts: jobs after shards and matrices, and the groups."""

    groups: tuple[PlainMap, ...]
    jobs: int


def divide(groups: Sequence[PlainMap], limit: int) -> tuple[Batch, ...]:
    """Cut groups (`{group, steps}`) into batches of at most `limit` jobs.

    A group stays whole where it fits into a batch and is split under its own name where not; a gate stays with its job
    where both fit. A pipeline that fits into one batch is left as it is. In more than one, a step that states no
    dependencies gets those that its place gave it, the gates in front of it: Buildkite puts each upload of a job before
    the one that went before, so places mean nothing across uploads.

    Raises:
        UndividableError: something that cannot be cut makes more than `limit` jobs.
    """
    jobs = job_count(groups)
    if jobs <= limit:
        return (Batch(groups=tuple(groups), jobs=jobs),) if groups else ()
    cutter = _Cutter(groups=groups, steps=_steps(groups), limit=limit)
    batches = []
    for members in cutter.batches():
        batch = cutter.assembled(members)
        batches.append(Batch(groups=batch, jobs=job_count(batch)))
    return tuple(batches)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """A step by its place in the document: `group` and `pair` number what it belongs to, `needs` the steps before it.

    A pair is a gate with the job behind it, or a step alone.
    """

    step: PlainMap
    group: int
    pair: int
    jobs: int
    needs: tuple[int, ...]


_GROUPS: Final = 0
_PAIRS: Final = 1
_STEPS: Final = 2
"""What is kept whole, the largest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cutter:
    groups: Sequence[PlainMap]
    steps: Sequence[_Step]
    limit: int

    def batches(self) -> Iterator[tuple[int, ...]]:
        """The steps of each batch. One is closed as soon as the next piece does not fit any more."""
        members: list[int] = []
        for piece in self._pieces(range(len(self.steps)), _GROUPS):
            if members and self._jobs((*members, *piece)) > self.limit:
                yield tuple(sorted(members))
                members = []
            members += piece
        yield tuple(sorted(members))

    def assembled(self, members: Sequence[int]) -> tuple[PlainMap, ...]:
        """Steps in their groups, as the document has them."""
        found: dict[int, list[Plain]] = {}
        for member in members:
            step = self.steps[member]
            found.setdefault(step.group, []).append(step.step)
        return tuple({**self.groups[group], "steps": steps} for group, steps in found.items())

    def _pieces(self, members: Sequence[int], level: int) -> Iterator[tuple[int, ...]]:
        """What stays together, after all that it waits for: units of a level, those of the next where one is too big.

        Units that wait for each other, as groups may, are one piece.
        """
        for units in components(self._needs(members, level)):
            chosen = set(units)
            piece = tuple(member for member in members if self._unit(member, level) in chosen)
            if self._jobs(piece) <= self.limit:
                yield piece
            elif level < _STEPS:
                yield from self._pieces(piece, level + 1)
            else:
                raise UndividableError(self._fault(piece))

    def _needs(self, members: Sequence[int], level: int) -> Mapping[int, Sequence[int]]:
        """The units of a level with those that they wait for, both in the order of the document."""
        inside = set(members)
        found: dict[int, dict[int, None]] = {}
        for member in members:
            needed = found.setdefault(self._unit(member, level), {})
            needed.update((self._unit(other, level), None) for other in self.steps[member].needs if other in inside)
        return {unit: tuple(needed) for unit, needed in found.items()}

    def _unit(self, member: int, level: int) -> int:
        step = self.steps[member]
        return (step.group, step.pair, member)[level]

    def _jobs(self, members: Sequence[int]) -> int:
        """What Buildkite counts: each group is one job more."""
        return sum(self.steps[member].jobs for member in members) + len({self.steps[m].group for m in members})

    def _fault(self, piece: Sequence[int]) -> str:
        keys = ", ".join(f'"{self.steps[member].step.get("key")}"' for member in piece[:3])
        return f"{keys} cannot be cut and make {self._jobs(piece)} jobs with their group: expected at most {self.limit}"


def _steps(groups: Sequence[PlainMap]) -> tuple[_Step, ...]:
    """All steps, with their dependencies as places. Keys that are no step's stand for what is uploaded elsewhere."""
    listed = [(number, step) for number, group in enumerate(groups) for step in steps_of(group)]
    explicit = _explicit([step for _, step in listed])
    places = {key: place for place, step in enumerate(explicit) if isinstance(key := step.get("key"), str)}
    found = []
    for place, step in enumerate(explicit):
        group = listed[place][0]
        with_gate = place > 0 and listed[place - 1][0] == group and _is_gate_of(explicit[place - 1], step)
        needs = tuple(places[key] for key in _awaited(step) if key in places)
        found.append(
            _Step(
                step=step,
                group=group,
                pair=place - 1 if with_gate else place,
                jobs=job_count([step]),
                needs=needs,
            )
        )
    return tuple(found)


def _explicit(steps: Sequence[PlainMap]) -> tuple[PlainMap, ...]:
    """Steps that all state what they wait for."""
    gates: list[Plain] = []
    found = []
    for step in steps:
        found.append(step if "depends_on" in step else {**step, "depends_on": list(gates)})
        if "block" in step:
            gates.append(step.get("key"))
    return tuple(found)


def _is_gate_of(gate: PlainMap, step: PlainMap) -> bool:
    return "block" in gate and gate.get("key") in tuple(_awaited(step))


def _awaited(step: PlainMap) -> Iterator[str]:
    """The keys that a step waits for."""
    depends_on = step.get("depends_on")
    items = depends_on if isinstance(depends_on, Sequence) and not isinstance(depends_on, str) else (depends_on,)
    for item in items:
        key = item.get("step") if isinstance(item, Mapping) else item
        if isinstance(key, str):
            yield key


def steps_of(group: PlainMap) -> tuple[PlainMap, ...]:
    """The steps of a group."""
    steps = group.get("steps")
    return tuple(step for step in steps if isinstance(step, Mapping)) if isinstance(steps, Sequence) else ()
