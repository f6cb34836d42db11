"""Which tests the commands of a step run: paths that pytest is given, test files that are started, test scripts."""

import fnmatch
import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from pipegen.importer.shellwords import Call, UnbalancedError, calls

# Options of pytest whose value is a word of its own.
_WITH_VALUE: Final = frozenset(
    "-k -m -p -n -c -o -W --ignore --ignore-glob --deselect --timeout --timeout-method --maxfail --durations --rootdir "
    "--confcutdir --basetemp --junitxml --tb --color --log-level --num-shards --shard-id".split()
)
_SHELLS: Final = frozenset({"bash", "sh", "dash"})
TEST_SCRIPTS: Final = (".sh",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The files of the repository, and the folders that they lie in."""

    files: frozenset[str]
    folders: frozenset[str]

    @classmethod
    def of(cls, paths: Sequence[str]) -> "Listing":
        """A listing of these paths."""
        folders = set()
        for path in paths:
            folder = posixpath.dirname(path)
            while folder and folder not in folders:
                folders.add(folder)
                folder = posixpath.dirname(folder)
        return cls(files=frozenset(paths), folders=frozenset(folders))

    def holds(self, path: str) -> bool:
        """Whether there is a file or a folder of this path."""
        return path.rstrip("/") in self.files or path.rstrip("/") in self.folders

    def is_folder(self, path: str) -> bool:
        """Whether it is a folder."""
        return path.rstrip("/") in self.folders

    def matches(self, glob: str) -> bool:
        """Whether a shell would find something for a glob."""
        names = glob.split("/")
        return any(
            path.count("/") == len(names) - 1
            and all(fnmatch.fnmatchcase(part, name) for part, name in zip(path.split("/"), names, strict=True))
            for path in self.files
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What a text runs: test paths from the repository's root (folders with a slash, node ids behind `::`), in order.

    `missing` are paths that it names and that are not there.
    """

    tests: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Collector:
    """Collects from the commands of one step, which are one script: a `cd` carries over."""

    listing: Listing
    roots: Sequence[str]
    test_files: Sequence[str]
    checkout: str
    here: str
    tests: dict[str, None] = field(default_factory=dict)
    missing: dict[str, None] = field(default_factory=dict)

    def script(self, texts: Sequence[str]) -> Collected:
        """What the commands run. Text whose quotes are broken is left out; others report it."""
        for text in texts:
            self._text(text)
        return Collected(tests=tuple(self.tests), missing=tuple(self.missing))

    def _text(self, text: str) -> None:
        try:
            found = calls(text)
        except UnbalancedError:
            return
        before: Call | None = None
        for call in found:
            self._call(call, before if call.piped else None)
            before = call

    def _call(self, call: Call, source: Call | None) -> None:
        if not call.words:
            return
        name = posixpath.basename(call.words[0])
        rest = call.words[1:]
        if name == "cd":
            self.here = posixpath.normpath(posixpath.join(self.here, rest[0] if rest else "."))
        elif name in ("pytest", "py.test"):
            self._pytest(rest)
        elif name.startswith("python") and rest[:2] == ("-m", "pytest"):
            self._pytest(rest[2:])
        elif name.startswith("python") or name == "torchrun":
            self._program(rest)
        elif name == "xargs" and source is not None and "pytest" in rest:
            self._find(source.words)
        elif name in _SHELLS or call.words[0].endswith(TEST_SCRIPTS):
            self._shell(call.words if call.words[0].endswith(TEST_SCRIPTS) else rest)

    def _pytest(self, words: Sequence[str]) -> None:
        skip = after_option = False
        for word in words:
            if skip:
                skip = False
            elif word.startswith("-"):
                skip = word in _WITH_VALUE
                after_option = word.startswith("--") and "=" not in word and not skip
                continue
            elif not (after_option and not self._there(word)):
                self._add(word)
            after_option = False

    def _program(self, words: Sequence[str]) -> None:
        """A test file that is started as a program."""
        program = next((word for word in words if word.endswith(".py")), None)
        if program is None:
            return
        path = self._path(program)
        is_test = any(fnmatch.fnmatchcase(posixpath.basename(path), name) for name in self.test_files)
        if is_test and any(path.startswith(root) for root in self.roots):
            self._add(program)

    def _shell(self, words: Sequence[str]) -> None:
        """`bash FILE …`, `bash -c TEXT`, and wrappers that are given commands as words."""
        given = [word for word in words if not word.startswith("-")]
        outer = self.here
        script = given[0] if given else ""
        if script.endswith(TEST_SCRIPTS):
            path = self._path(script)
            if any(path.startswith(root) for root in self.roots) and self.listing.holds(path):
                # A script among the tests starts what lies beside it.
                self._add(posixpath.join(posixpath.dirname(script), ""))
            # What a wrapper is given runs where the wrapper's image starts, or in the folder that it is told.
            told = given[1] if len(given) > 1 else ""
            self.here = told if told.startswith(self.checkout) else self.checkout
        for word in given:
            if any(character.isspace() for character in word):
                inner = self.here
                self._text(word)
                self.here = inner
        self.here = outer

    def _find(self, words: Sequence[str]) -> None:
        """`find FOLDER … -name GLOB … | xargs pytest`."""
        if posixpath.basename(words[0]) != "find" or len(words) < 2:
            return
        names = [words[at + 1] for at, word in enumerate(words[:-1]) if word == "-name" and words[at - 1] != "-not"]
        if "-maxdepth" in words and len(names) == 1:
            self._add(posixpath.join(words[1], names[0]))
        else:
            self._add(words[1])

    def _path(self, word: str) -> str:
        """A path of a command as one of the repository, its trailing slash and node id kept."""
        file, separator, node_id = word.partition("::")
        absolute = posixpath.normpath(posixpath.join(self.checkout, self.here, file))
        relative = posixpath.relpath(absolute, self.checkout)
        return relative + ("/" if file.endswith("/") else "") + separator + node_id

    def _there(self, word: str) -> bool:
        return self.listing.holds(self._path(word).partition("::")[0])

    def _add(self, word: str) -> None:
        path = self._path(word)
        file = path.partition("::")[0]
        if path.startswith("..") or file.rstrip("/") in (".", ""):
            return
        is_glob = any(character in file for character in "*?[")
        if not (self.listing.matches(file) if is_glob else self.listing.holds(file)):
            self.missing.setdefault(path)
            return
        if self.listing.is_folder(file) and not path.endswith("/"):
            path += "/"
        self.tests.setdefault(path)
