"""What has to do with a variable of a job beside its `env`: what may set it, and what reads it."""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from pipegen.plain import Plain
from pipegen.rules.facts import Facts, JobFacts, Pipeline


def is_set_elsewhere(one: JobFacts, name: str) -> bool:
    """Whether the facts of the machine, another attribute, the template or the build have to do with a variable.

    Its value there is not asked for: what a template does with a fact is the template's.
    """
    if name in _said_by_builds(one.pipeline):
        return True
    texts = (*_texts(one.job.hardware.facts), *_texts(one.job.attributes), *_of_template(one, name))
    return any(mentions(text, name) for text in texts)


def read_as(jobs: Collection[JobFacts], name: str, default: str, facts: Facts) -> str | None:
    """What is to be written where commands of jobs, or scripts that they call, read a variable that may be unset.

    None where none reads it. Programs that do have the default themselves.
    """
    read = re.compile(rf"\$\{{?[#!]?{re.escape(name)}(?!\w|:?-{re.escape(default)}\}})")
    texts = {command.run for one in jobs for command in one.job.commands}
    texts |= {facts.inventory.content(path) or "" for one in jobs for path in scripts_of(one)}
    return f"${{{name}:-{default}}}" if any(read.search(text) for text in texts) else None


def scripts_of(one: JobFacts) -> tuple[str, ...]:
    """The scripts and programs of the repository that a job runs, wrappers too, but for Python, which has defaults."""
    names = {wrapper.name[0]: wrapper.variable for wrapper in one.pipeline.workspace.tests.wrappers}
    runs = [command.run for command in one.job.commands]
    wrappers = {
        path
        for path, variable in names.items()
        if "/" in path and (variable in one.job.env or any(posixpath.basename(path) in run for run in runs))
    }
    called = {call.path for call in one.reading.calls}
    return tuple(sorted(path for path in called | wrappers if not path.endswith(".py")))


def mentions(text: str, name: str) -> bool:
    """Whether a text names a variable, as a word of its own."""
    return name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _said_by_builds(pipeline: Pipeline) -> frozenset[str]:
    """The variables that a build may come with; its jobs have them all."""
    workspace = pipeline.workspace
    conditions = [schedule.condition for schedule in workspace.schedules.values()]
    conditions += [switch.condition for switch in workspace.switches]
    return frozenset({*workspace.environment, *(name for one in conditions for name, _ in one.environment)})


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


def _of_template(one: JobFacts, name: str) -> Iterator[str]:
    """The texts that the job's template is made of, and the workspace's variables, which it may write."""
    sources = one.pipeline.templates
    yield from (value.text for value in one.pipeline.workspace.variables.values())
    if not any(name in text for text in sources.values()):
        return
    pending = [file for file in sources if file.startswith(f"{one.job.template.text}.")]
    seen = set(pending)
    while pending:
        text = sources[pending.pop()]
        yield text
        further = [file for file in sources if file not in seen and file in text]
        seen.update(further)
        pending += further
