"""`plugins`: what runs around, or instead of, a command."""

from collections.abc import Iterator, Mapping
from typing import Final

from pipegen.plain import Path, Plain, PlainMap
from pipegen.validate.codes import PLUGIN_KEYS, PLUGINS_AS_MAPPING
from pipegen.validate.problem import Problem
from pipegen.validate.shape import check_filled_text, entries, wrong_type
from pipegen.validate.upload import listed

_ITEM: Final = "the text of a source or a mapping with one source"


def check_plugins(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """A list of sources, `source#version` or `{source#version: settings}`; one mapping is the deprecated form.

    A list inside the list makes the server fail, and a mapping with several keys silently becomes several plugins.
    """
    if isinstance(value, Mapping):
        message = f"{name} is a mapping, a deprecated form: expected a list"
        yield Problem(
            code=PLUGINS_AS_MAPPING, path=path, message=message, help='put "- " before each plugin to make it a list'
        )
        for source in value:
            yield from check_filled_text(source, (*path, source), "a plugin's source")
        return
    items = entries(value)
    if items is None:
        yield wrong_type(value, path, name, "a list of plugins", 'put "- " before it to make it a list')
        return
    for index, item in enumerate(items):
        yield from _check_plugin(item, (*path, index), f"plugin {index + 1}")


def _check_plugin(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    if isinstance(value, str):
        yield from check_filled_text(value, path, name)
    elif isinstance(value, Mapping):
        yield from _check_plugin_mapping(value, path, name)
    else:
        yield wrong_type(value, path, name, _ITEM)


def _check_plugin_mapping(plugin: PlainMap, path: Path, name: str) -> Iterator[Problem]:
    if len(plugin) != 1:
        found = f"the keys {listed(plugin)}" if plugin else "no key"
        yield Problem(
            code=PLUGIN_KEYS,
            path=path,
            message=f"{name} has {found}: expected one key, its source",
            help="indent its settings below the source, or begin another entry" if plugin else "",
        )
    for source in plugin:
        yield from check_filled_text(source, (*path, source), f"{name} source")
