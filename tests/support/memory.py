"""The pipeline in memory, as the agent should show it: what `generate` is compared with, value by value."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from pipegen import app
from pipegen.diagnostics import has_errors
from pipegen.dollar import literal_tree, references
from pipegen.plain import Plain, PlainMap
from pipegen.select import select_all

_SHORT_PLUGIN = re.compile(r"(?:(?P<owner>[A-Za-z0-9-]+)/)?(?P<name>[A-Za-z0-9-]+)(?P<version>#.*)?")


def pipeline_in_memory(root: Path, workspace: str = app.DEFAULT_WORKSPACE, pipeline: str | None = None) -> PlainMap:
    """Every job of a workspace, rendered and not yet written; it must have no errors."""
    place = app.Place(root=root, path=workspace)
    plan = app.make_plan(app.Request(place=place, pipeline=pipeline))
    assert not isinstance(plan, tuple), plan
    rendered, found = app.render_plan(plan, select_all(plan.expansion.jobs, "all"))
    assert not has_errors((*plan.diagnostics, *found)), (plan.diagnostics, found)
    return rendered.pipeline


def upload_names(tree: Plain) -> frozenset[str]:
    """Every variable that the agent is asked to fill in."""
    match tree:
        case str():
            return frozenset(references(tree))
        case Mapping():
            return frozenset().union(*(upload_names(value) for value in tree.values()))
        case Sequence():
            return frozenset().union(*(upload_names(value) for value in tree))
        case _:
            return frozenset()


def as_the_agent_shows(pipeline: PlainMap, values: Mapping[str, str]) -> PlainMap:
    """The pipeline with upload references filled in and plugins under their full names, as the agent sends it."""
    filled = literal_tree(pipeline, values)
    assert isinstance(filled, Mapping)
    return {**filled, "steps": [_step(step) for step in _list(filled["steps"])]}


def _list(value: Plain) -> Sequence[Plain]:
    assert isinstance(value, Sequence)
    assert not isinstance(value, str)
    return value


def _step(step: Plain) -> Plain:
    assert isinstance(step, Mapping)
    shown = dict(step)
    if "steps" in shown:
        shown["steps"] = [_step(inner) for inner in _list(shown["steps"])]
    shown.pop("if_changed", None)  # the agent decides by it and sends the outcome alone
    if "secrets" in shown:
        shown["secrets"] = _secrets(shown["secrets"])
    if "plugins" in shown:
        shown["plugins"] = [_plugin(plugin) for plugin in _list(shown["plugins"])]
    return shown


def _secrets(secrets: Plain) -> Plain:
    """Secrets have two forms, of which the agent makes a third."""
    pairs = secrets.items() if isinstance(secrets, Mapping) else ((name, name) for name in _list(secrets))
    return [{"key": secret, "environment_variable": variable} for variable, secret in pairs]


def _plugin(plugin: Plain) -> Plain:
    if isinstance(plugin, str):
        return _full(plugin)
    assert isinstance(plugin, Mapping)
    return {_full(name): settings for name, settings in plugin.items()}


def _full(source: str) -> str:
    """Buildkite's own plugins have short names; a path or an address is one already."""
    short = _SHORT_PLUGIN.fullmatch(source)
    if short is None:
        return source
    owner = short["owner"] or "buildkite-plugins"
    return f"github.com/{owner}/{short['name']}-buildkite-plugin{short['version'] or ''}"
