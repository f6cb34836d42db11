"""What to do about a toggle that a command sets."""

from typing import Final

from pipegen.diagnostics import listing
from pipegen.rules.elsewhere import read_as
from pipegen.rules.facts import Facts, JobFacts
from pipegen.rules.in_commands import InCommands, heirs

_REASON: Final = 'because: WHY, until: DATE or "#N"'


def what_to_do(one: InCommands, facts: Facts) -> str:
    """The help line."""
    if one.sweep:
        return f"make a variant for each value that the job sets: {listing(one.sweep)}" + _if_let_in(one)
    if one.is_lost:
        return "take it out: the job sets another value before it runs anything"
    if one.unsets:
        return _of_unset(one)
    if one.says_default:
        return _of_default(one, facts)
    return what_to_write(one, facts)


def what_to_write(one: InCommands, facts: Facts) -> str:
    """How to say in `env` what the command says."""
    name, value = one.toggle.name, one.values[0] if len(one.values) == 1 else "VALUE"
    long = f"env: {{{name}: {{value: {value}, {_REASON}}}}}"
    reach = one.reach
    if reach.some_tests and not reach.all_tests:
        return f"make a step or a variant of that command, with {long}" + _if_let_in(one)
    if reach.everything:
        return f"write {long}" + _if_let_in(one) + _of_heirs(one, facts)
    also = _if_let_in(one) + " and" if one.within is not None else " if"
    return f"write {long}{also} all that the job runs may have it; else make a step or a variant of that command"


def _of_default(one: InCommands, facts: Facts) -> str:
    if one.changes_nothing:
        instead = read_as(one.jobs, one.toggle.name, one.toggle.default, facts)
        also = "" if instead is None else f", and write {instead} where it is read"
        return f"take it out{also}: it is the default"
    if one.env is not None:
        return f"say it in env alone, which {one.env}"
    if one.is_elsewhere:
        return _of_elsewhere(one)
    if one.is_set_otherwise:
        return "take it out, and with it what sets another value for the same program: it is the default"
    return "take it out, unless something that was not read sets another value in front of it: it is the default"


def _of_unset(one: InCommands) -> str:
    name, reach = one.toggle.name, one.reach
    if one.env is not None and reach.some_tests and not reach.all_tests:
        return f"make a step or a variant of that command, with env: {{{name}: null}}"
    if one.env is not None:
        return f"take it out of env, which {one.env}, or write {name}: null where that is inherited"
    return _of_elsewhere(one) if one.is_elsewhere else "take it out: nothing in env sets it"


def _of_elsewhere(one: InCommands) -> str:
    wanted = f"write env: {{{one.toggle.name}: {one.toggle.default}}}" + _if_let_in(one)
    return f"{wanted}; the machine, its template or a build may say otherwise"


def _if_let_in(one: InCommands) -> str:
    return "" if one.within is None else f', if "{one.within}" lets that in'


def _of_heirs(one: InCommands, facts: Facts) -> str:
    """What to say in jobs that run other commands, and would have it from `env` as well."""
    found = heirs(one, facts)
    if not found:
        return ""
    name, lanes = one.toggle.name, {job.job.lane for job in one.jobs}
    back = f"{{value: {one.toggle.default}, {_REASON}}}" if any(job.job.lane not in lanes for job in found) else "null"
    return (
        f"; write {name}: {back} in {listing(sorted({_called(job) for job in found}), limit=3)}, which does not set it"
    )


def _called(one: JobFacts) -> str:
    origin = one.job.origin
    return origin.mirror or origin.variant or origin.part or one.job.key
