"""Pytest calls as the words that a manifest generates them from, where that gives the very same text."""

import posixpath
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pipegen import shell
from pipegen.diagnostics import Span
from pipegen.expand.testpaths import relative_path, test_path, word
from pipegen.importer.texts import banner
from pipegen.manifest.located import Scalar
from pipegen.model import TestSettings
from pipegen.resolve.references import test_path_fault

_NOWHERE: Final = Span(path="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One call: its test entries as manifests write them, and what narrows it."""

    entries: tuple[str, ...]
    k: str | None = None
    m: str | None = None
    ignore: tuple[str, ...] = ()
    args: tuple[str, ...] = ()

    def options(self) -> tuple[object, ...]:
        """All but the entries."""
        return (self.k, self.m, self.ignore, self.args)


def entry_of(path: str, settings: TestSettings) -> str:
    """A path from the repository's root as manifests write it."""
    root = settings.roots[0].rstrip("/") + "/"
    return path.removeprefix(root) if path.startswith(root) and path != root else f"//{path}"


def form_of(run: str, written: str, settings: TestSettings, working_dir: str, shards: Sequence[str]) -> Form | None:
    """The form of a call; None where a manifest would generate another text, or another banner in the log.

    `written` is the command as the step file has it, `shards` are the words that tell a job its shard.
    """
    tail = "".join(f" {word}" for word in shards)
    if not run.endswith(tail) or not run.startswith(" ".join(settings.pytest) + " "):
        return None
    try:
        words = shlex.split(run.removesuffix(tail) if tail else run)
    except ValueError:
        return None
    form = _parsed(words[len(settings.pytest) :], settings, working_dir)
    if form is None:
        return None
    call = _generated(form, settings, working_dir) + tail
    return form if call == run and banner(call) == banner(written) else None


def _parsed(words: Sequence[str], settings: TestSettings, working_dir: str) -> Form | None:
    options: dict[str, str] = {}
    entries, ignore, args = [], [], []
    rest = list(words)
    while rest:
        current = rest.pop(0)
        if current in ("-k", "-m") and rest:
            options[current] = rest.pop(0)
        elif current.startswith("--ignore="):
            ignore.append(_entry(current.removeprefix("--ignore="), settings, working_dir))
        elif current.startswith("-"):
            args.append(current)
        else:
            entries.append(_entry(current, settings, working_dir))
    if not entries or any(test_path_fault(entry) for entry in (*entries, *ignore)):
        return None
    return Form(
        entries=tuple(entries), k=options.get("-k"), m=options.get("-m"), ignore=tuple(ignore), args=tuple(args)
    )


def _entry(path: str, settings: TestSettings, working_dir: str) -> str:
    """A path of a command as an entry, its trailing slash kept."""
    file, separator, node_id = path.partition("::")
    here = posixpath.normpath(posixpath.join(settings.checkout, working_dir))
    relative = posixpath.relpath(posixpath.normpath(posixpath.join(here, file)), settings.checkout)
    slash = "/" if file.endswith("/") else ""
    return entry_of(f"{relative}{slash}{separator}{node_id}", settings)


def _generated(form: Form, settings: TestSettings, working_dir: str) -> str:
    """The call as `pipegen.expand.script` writes it."""
    words = list(settings.pytest)
    words += [word(_path(entry, settings), settings, working_dir) for entry in form.entries]
    for name, text in (("-k", form.k), ("-m", form.m)):
        words += [] if text is None else [name, shell.quote(text)]
    words += [
        f"--ignore={shell.quote(relative_path(_path(entry, settings).rstrip('/'), settings, working_dir))}"
        for entry in form.ignore
    ]
    return " ".join([*words, *(shell.quote(argument) for argument in form.args)])


def _path(entry: str, settings: TestSettings) -> str:
    return test_path(Scalar(text=entry, plain=False, span=_NOWHERE), settings).path
