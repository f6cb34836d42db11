"""What has to do with a variable of a job beside its `env`: what may set it, and what reads it."""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from pipegen.plain import Plain
from pipegen.rules.facts import Facts, JobFacts, Pipeline

_HOOKS: Final = ".buildkite/hooks/"
_PATH: Final = re.compile(r"[\w.-]+(?:/[\w.-]+)*")


def is_set_elsewhere(job: JobFacts, name: str, facts: Facts) -> bool:
    """Whether the machine's facts, another attribute, the template, a hook or the build have to do with a variable.

    Its value there is not asked for: what a template does with a fact is the template's.
    """
    if name in facts.once(_said_by_builds)[id(job.pipeline)]:
        return True
    texts = (
        *_texts(job.job.hardware.facts),
        *_texts(job.job.attributes),
        *facts.once(_of_templates)[_template(job)],
        *(facts.inventory.content(path) or "" for path in facts.once(_hooks)),
    )
    return any(mentions(text, name) for text in texts)


def is_named(job: JobFacts, name: str, facts: Facts, *, besides: int | None = None) -> bool:
    """Whether a command, a value of `env` or a script of a job names a variable; a script that nobody can read might.

    `besides` is the index of a command that does not count.
    """
    texts = [command.run for at, command in enumerate(job.job.commands) if at != besides]
    scripts = [facts.inventory.content(path) for path in scripts_of(job, facts)]
    return any(text is None or mentions(text, name) for text in (*texts, *job.job.env.values(), *scripts))


def guarded_read(jobs: Collection[JobFacts], name: str, default: str, facts: Facts) -> str | None:
    """What is to be written where commands of jobs, or scripts that they call, read a variable that may be unset.

    None where none is seen to read it. Programs that do have the default themselves.
    """
    read = re.compile(rf"\$\{{?[#!]?{re.escape(name)}(?!\w|:?-{re.escape(default)}\}})")
    texts = {command.run for job in jobs for command in job.job.commands}
    texts |= {facts.inventory.content(path) or "" for job in jobs for path in scripts_of(job, facts)}
    return f"${{{name}:-{default}}}" if any(read.search(text) for text in texts) else None


def scripts_of(job: JobFacts, facts: Facts) -> tuple[str, ...]:
    """The scripts and programs of the repository that a job runs, but for Python, which has defaults.

    Wrappers are among them, and the hooks of the agent, which run around every job.
    """
    names = {wrapper.name[0]: wrapper.variable for wrapper in job.pipeline.workspace.tests.wrappers}
    runs = [command.run for command in job.job.commands]
    wrappers = {
        path
        for path, variable in names.items()
        if "/" in path and (variable in job.job.env or any(posixpath.basename(path) in run for run in runs))
    }
    called = {call.path for call in job.reading.calls}
    return tuple(sorted(path for path in {*called, *wrappers, *facts.once(_hooks)} if not path.endswith(".py")))


def mentions(text: str, name: str) -> bool:
    """Whether a text names a variable, as a word of its own."""
    return name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _hooks(facts: Facts) -> tuple[str, ...]:
    """The hooks that the repository has for the agent, and the files that these name: they may source them."""
    known = facts.inventory.files.known
    found = [path for path in facts.inventory.files.paths if path.startswith(_HOOKS)]
    for path in found:  # it grows
        words = _PATH.findall(facts.inventory.content(path) or "")
        named = {file for word in words for file in _ends_of(word) if file in known}
        found += sorted(named.difference(found))
    return tuple(found)


def _ends_of(path: str) -> Iterator[str]:
    """A path, and what it is from a folder further down: what stands in front may be where the checkout lies."""
    parts = path.split("/")
    return ("/".join(parts[at:]) for at in range(len(parts)))


def _said_by_builds(facts: Facts) -> Mapping[int, frozenset[str]]:
    """The variables that a build of a pipeline may come with; its jobs have them all."""
    return {id(pipeline): frozenset(_of_builds(pipeline)) for pipeline in facts.pipelines}


def _of_builds(pipeline: Pipeline) -> Iterator[str]:
    workspace = pipeline.workspace
    yield from workspace.environment
    conditions = [schedule.condition for schedule in workspace.schedules.values()]
    conditions += [switch.condition for switch in workspace.switches]
    yield from (name for one in conditions for name, _ in one.environment)


def _texts(value: Plain) -> Iterator[str]:
    """All text in plain data, keys as well."""
    match value:
        case str():
            yield value
        case Mapping():
            for key, inner in value.items():
                yield key
                yield from _texts(inner)
        case Sequence():
            for inner in value:
                yield from _texts(inner)
        case _:
            pass  # a number names nothing


def _of_templates(facts: Facts) -> Mapping[tuple[int, str], tuple[str, ...]]:
    """The texts that each template is made of, and the workspace's variables, which it may write."""
    jobs = {_template(job): job for job in facts.jobs}
    return {key: tuple(_of_template(job)) for key, job in jobs.items()}


def _template(job: JobFacts) -> tuple[int, str]:
    return id(job.pipeline), job.job.template.text


def _of_template(job: JobFacts) -> Iterator[str]:
    sources = job.pipeline.templates
    yield from (value.text for value in job.pipeline.workspace.variables.values())
    pending = [file for file in sources if file.startswith(f"{job.job.template.text}.")]
    seen = set(pending)
    while pending:
        text = sources[pending.pop()]
        yield text
        further = [file for file in sources if file not in seen and file in text]
        seen.update(further)
        pending += further
