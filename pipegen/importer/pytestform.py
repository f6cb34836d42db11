"""Pytest calls as the words that a manifest generates them from, where that gives the very same text."""

import posixpath
import shlex
from collections.abc import Sequence

from pipegen import shell
from pipegen.dataclass import dataclass
from pipegen.importer.texts import banner
from pipegen.model import TestSettings


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

    `written` is the command as the step file has it, `shards` are the words that tell a job its shard. What is
    generated is the workspace's pytest words, the paths as seen from the working directory, `-k`, `-m`, `--ignore=…`,
    other arguments, shard words, each quoted where it has to be.
    """
    here = posixpath.normpath(posixpath.join(settings.checkout, working_dir))
    if here != settings.checkout and not here.startswith(settings.checkout + "/"):
        return None
    tail = "".join(f" {word}" for word in shards)
    body = run.removesuffix(tail) if tail else run
    if not run.endswith(tail) or not body.startswith(" ".join(settings.pytest) + " "):
        return None
    try:
        words = shlex.split(body)
    except ValueError:
        return None
    parsed = _Words.of(words[len(settings.pytest) :])
    if parsed is None or parsed.text(settings) + tail != run or banner(run) != banner(written):
        return None
    folder = posixpath.relpath(here, settings.checkout)
    return parsed.form(folder, settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """The words of a call by what they are."""

    paths: tuple[str, ...]
    k: str | None
    m: str | None
    ignored: tuple[str, ...]
    args: tuple[str, ...]

    @classmethod
    def of(cls, words: Sequence[str]) -> "_Words | None":
        options: dict[str, str] = {}
        paths, ignored, args = [], [], []
        rest = list(words)
        while rest:
            current = rest.pop(0)
            if current in ("-k", "-m") and rest:
                options[current] = rest.pop(0)
            elif current.startswith("--ignore="):
                ignored.append(current.removeprefix("--ignore="))
            elif current.startswith("-"):
                args.append(current)
            else:
                paths.append(current)
        if not paths or not all(_is_straight(path) for path in (*paths, *ignored)):
            return None
        return cls(
            paths=tuple(paths), k=options.get("-k"), m=options.get("-m"), ignored=tuple(ignored), args=tuple(args)
        )

    def text(self, settings: TestSettings) -> str:
        """The call that a manifest generates of them."""
        words = [*settings.pytest, *(shell.quote(path) for path in self.paths)]
        for name, expression in (("-k", self.k), ("-m", self.m)):
            words += [] if expression is None else [name, shell.quote(expression)]
        words += [f"--ignore={shell.quote(path)}" for path in self.ignored]
        return " ".join([*words, *(shell.quote(argument) for argument in self.args)])

    def form(self, folder: str, settings: TestSettings) -> Form:
        """The words of the manifest; `folder` is where the call runs, from the repository's root."""

        def entry(path: str) -> str:
            return entry_of(path if folder == "." else f"{folder}/{path}", settings)

        return Form(
            entries=tuple(entry(path) for path in self.paths),
            k=self.k,
            m=self.m,
            ignore=tuple(entry(path) for path in self.ignored),
            args=self.args,
        )


def _is_straight(path: str) -> bool:
    """Whether a path is written as `pipegen.expand` would write it: below the folder, without detours and globs."""
    file = path.partition("::")[0]
    plain = posixpath.normpath(file) + ("/" if file.endswith("/") else "")
    return file == plain and not file.startswith((".", "/")) and not any(sign in file for sign in "*?[")
