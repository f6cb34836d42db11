"""What steps run, in the words of manifests: tests alone where they give the same text, else commands."""

from collections.abc import Mapping, Sequence

from pipegen.dataclass import dataclass, replace
from pipegen.importer.claims import Claims, bare
from pipegen.importer.drafts import Draft, Line, Unit
from pipegen.importer.pytestform import Form, entry_of, form_of
from pipegen.importer.writing import Bare, Item, List, Map, Pair, Said, Value, plain_list
from pipegen.model import TestSettings

SCRIPT_WORDS = ("tests", "also", "separate", "k", "m", "ignore", "args", "setup", "commands")
"""What says which tests run and how."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaking:
    """Says what steps run: by tests alone where the generated call is the same text, else by commands."""

    claims: Claims
    settings: TestSettings

    def words(self, draft: Draft) -> tuple[dict[str, Pair], list[dict[str, Pair]]]:
        """The pairs of a step and of each of its mirrors."""
        plain = self._plain(draft)
        own = self._generated(draft, draft.unit) if plain else None
        own = own if own is not None else self._authored(draft, draft.unit)
        mirrors = []
        for mirror in draft.mirrors:
            theirs = self._generated(draft, mirror.unit) if "commands" not in own else None
            theirs = theirs if theirs is not None else self._authored(draft, mirror.unit)
            mirrors.append(_difference(theirs, own))
        return own, mirrors

    def _plain(self, draft: Draft) -> bool:
        """Whether the step and every mirror that runs the same can do without commands."""
        units = [draft.unit, *(mirror.unit for mirror in draft.mirrors if not mirror.own_commands)]
        return all(self._generated(draft, unit) is not None for unit in units)

    def _generated(self, draft: Draft, unit: Unit) -> dict[str, Pair] | None:
        """Tests and what narrows them, with the commands in front as set-up; None where that says something else."""
        shards = self.settings.shard_words(unit.placement.lane) if unit.parallelism > 1 else ()
        forms: list[Form] = []
        lines = list(unit.lines)
        while lines and (form := self._form(lines[-1], unit, shards)) is not None:
            if forms and (len(form.entries) != 1 or len(forms[0].entries) != 1 or form.options() != forms[0].options()):
                break
            forms.insert(0, form)
            lines.pop()
        if not forms or any(self._runs_tests(line, unit) for line in lines):
            return None
        entries = [entry for form in forms for entry in form.entries]
        owned = [entry_of(path, self.settings) for path in self.claims.owned(draft, unit)]
        shared = [entry_of(path, self.settings) for path in self.claims.shared(draft, unit)]
        in_order = [bare(entry) for entry in entries] == [bare(entry) for entry in (*owned, *shared)]
        if not in_order or self.claims.others_inside(draft, unit):
            return None
        said = _together([unit.commands_said, *(line.said for line in unit.lines[len(lines) :])], unit.after)
        tests, also = entries[: len(owned)], entries[len(owned) :]
        pairs = {
            name: Pair(key=name, value=plain_list(some)) for name, some in (("tests", tests), ("also", also)) if some
        }
        first = next(iter(pairs))
        pairs[first] = replace(pairs[first], said=said)
        if len(forms) > 1:
            pairs["separate"] = Pair(key="separate", value=Bare("true"))
        pairs |= _options(forms[0])
        if lines:
            pairs["setup"] = Pair(key="setup", value=_commands(lines, ()))
        return pairs

    def _form(self, line: Line, unit: Unit, shards: Sequence[str]) -> Form | None:
        return (
            None if line.title is not None else form_of(line.run, line.written, self.settings, unit.working_dir, shards)
        )

    def _runs_tests(self, line: Line, unit: Unit) -> bool:
        """Whether a command in front collects something: it is no set-up then."""
        return "pytest" in line.run.split() or any(bare(path) in line.run for path in unit.collected.tests)

    def _authored(self, draft: Draft, unit: Unit) -> dict[str, Pair]:
        owned = [entry_of(path, self.settings) for path in self.claims.owned(draft, unit)]
        shared = [entry_of(path, self.settings) for path in self.claims.shared(draft, unit)]
        pairs = {
            name: Pair(key=name, value=plain_list(some)) for name, some in (("tests", owned), ("also", shared)) if some
        }
        commands = _commands(unit.lines, unit.after)
        pairs["commands"] = Pair(key="commands", value=commands, said=unit.commands_said)
        return pairs


def _options(form: Form) -> dict[str, Pair]:
    given: list[tuple[str, Value | None]] = [
        ("k", form.k),
        ("m", form.m),
        ("ignore", plain_list(form.ignore) if form.ignore else None),
        ("args", plain_list(form.args) if form.args else None),
    ]
    return {name: Pair(key=name, value=value) for name, value in given if value is not None}


def _commands(lines: Sequence[Line], after: tuple[str, ...]) -> List:
    items = tuple(Item(value=_command(line), said=line.said) for line in lines)
    return List(items=items, after=after, tall=len(items) > 1)


def _command(line: Line) -> Value:
    if line.title is None:
        return line.run
    return Map(pairs=(Pair(key="run", value=line.run), Pair(key="title", value=line.title)), tall=True)


def _together(said: Sequence[Said], after: tuple[str, ...]) -> Said:
    """What was said about commands that are no longer there."""
    above = [text for each in said for text in (*each.above, *([each.beside] if each.beside else []))]
    return Said(above=(*above, *after))


def _difference(theirs: Mapping[str, Pair], own: Mapping[str, Pair]) -> dict[str, Pair]:
    """What a mirror says otherwise than its step: a word that it lacks is removed."""
    result = {}
    for name in SCRIPT_WORDS:
        if name in theirs and (name not in own or theirs[name].value != own[name].value):
            result[name] = theirs[name]
        elif name in own and name not in theirs:
            result[name] = Pair(key=name, value=Bare("null"))
    return result
