"""What to do about a toggle that a command sets."""

from typing import Final

from pipegen.diagnostics import listing
from pipegen.rules.elsewhere import guarded_read
from pipegen.rules.facts import Facts, JobFacts
from pipegen.rules.in_commands import InCommands, heirs

_REASON: Final = 'because: WHY, until: DATE or "#N"'


def what_to_do(site: InCommands, facts: Facts) -> str:
    """The help line."""
    if site.sweep:
        return f"make a variant for each value that the job sets: {listing(site.sweep)}" + _if_let_in(site)
    if site.is_overridden:
        return "take it out: the job sets another value before it runs anything"
    if site.unsets:
        return _of_unset(site)
    if site.says_default:
        return _of_default(site, facts)
    return what_to_write(site, facts)


def what_to_write(site: InCommands, facts: Facts) -> str:
    """How to say in `env` what the command says."""
    name, value = site.toggle.name, site.values[0] if len(site.values) == 1 else "VALUE"
    long = f"env: {{{name}: {{value: {value}, {_REASON}}}}}"
    reach = site.reach
    if reach.some_tests and not reach.all_tests:
        return f"make a step or a variant of that command, with {long}" + _if_let_in(site)
    if reach.everything:
        return f"write {long}" + _if_let_in(site) + _of_heirs(site, facts)
    also = _if_let_in(site) + " and" if site.within is not None else " if"
    return f"write {long}{also} all that the job runs may have it; else make a step or a variant of that command"


def _of_default(site: InCommands, facts: Facts) -> str:
    if site.changes_nothing:
        instead = guarded_read(site.jobs, site.toggle.name, site.toggle.default, facts)
        also = "" if instead is None else f", and write {instead} where it is read"
        return f"take it out{also}: it is the default"
    if site.env is not None:
        return f"say it in env alone, which {site.env}"
    if site.is_elsewhere:
        return _of_elsewhere(site)
    if site.is_set_otherwise:
        return "take it out, and with it what sets another value for the same program: it is the default"
    return "take it out, unless something that was not read sets another value in front of it: it is the default"


def _of_unset(site: InCommands) -> str:
    name, reach = site.toggle.name, site.reach
    if site.env is not None and reach.some_tests and not reach.all_tests:
        return f"make a step or a variant of that command, with env: {{{name}: null}}"
    if site.env is not None:
        return f"take it out of env, which {site.env}, or write {name}: null where that is inherited"
    return _of_elsewhere(site) if site.is_elsewhere else "take it out: nothing in env sets it"


def _of_elsewhere(site: InCommands) -> str:
    wanted = f"write env: {{{site.toggle.name}: {site.toggle.default}}}" + _if_let_in(site)
    return f"{wanted}; the machine, its template, a hook or a build may say otherwise"


def _if_let_in(site: InCommands) -> str:
    return "" if site.within is None else f', if "{site.within}" lets that in'


def _of_heirs(site: InCommands, facts: Facts) -> str:
    """What to say in jobs that run other commands, and would have it from `env` as well."""
    found = heirs(site, facts)
    if not found:
        return ""
    name, lanes = site.toggle.name, {job.job.lane for job in site.jobs}
    back = f"{{value: {site.toggle.default}, {_REASON}}}" if any(job.job.lane not in lanes for job in found) else "null"
    return (
        f"; write {name}: {back} in {listing(sorted({_called(job) for job in found}), limit=3)}, which does not set it"
    )


def _called(job: JobFacts) -> str:
    origin = job.job.origin
    return origin.mirror or origin.variant or origin.part or job.job.key
