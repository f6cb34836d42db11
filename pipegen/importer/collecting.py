"""Which tests the commands of a step run, as paths that an area can own."""

import posixpath
from collections.abc import Iterator, Sequence

from pipegen.commands.collecting.files import Files
from pipegen.commands.collecting.lookup import expand
from pipegen.commands.finds import AllOf, FindTest, NameIs, Search
from pipegen.commands.reader import CommandReader
from pipegen.commands.reading import Globbed, Named, Reading, Searched, Target, TestRun
from pipegen.dataclass import dataclass
from pipegen.model import TestSettings

SCRIPT = ".sh"


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """Test paths from the repository's root (folders with a slash, node ids behind `::`), in order.

    `missing` are paths that the commands name and that are not there.
    """

    tests: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Collecting:
    """Reads what commands run in one repository."""

    files: Files
    settings: TestSettings
    reader: CommandReader

    def of(self, commands: Sequence[str], working_dir: str) -> Collected:
        """What the commands run, which are one script. What cannot be read is left out."""
        reading = self.reader.read(commands, working_dir=working_dir)
        tests: dict[str, None] = {}
        missing: dict[str, None] = {}
        for path in self._paths(reading):
            file = path.partition("::")[0].rstrip("/")
            if any(sign in file for sign in "*?[") or self.files.exists(file):
                folder = file in self.files.folders and not path.endswith("/")
                tests.setdefault(path + ("/" if folder else ""))
            else:
                missing.setdefault(path)
        return Collected(tests=tuple(tests), missing=tuple(missing))

    def _paths(self, reading: Reading) -> Iterator[str]:
        for run in reading.runs:
            yield from (path for target in _targets(run) for path in self._named(target))
        for called in reading.calls:
            # A script among the tests starts what lies beside it.
            if called.path.endswith(SCRIPT) and self._among_tests(called.path) and self.files.exists(called.path):
                yield posixpath.dirname(called.path) + "/"

    def _among_tests(self, path: str) -> bool:
        return any(path.startswith(root.rstrip("/") + "/") for root in self.settings.roots)

    def _named(self, target: Target) -> Iterator[str]:
        match target:
            case Named():
                yield target.path + (f"::{target.node}" if target.node else "")
            case Globbed():
                if expand(self.files, target.glob):
                    yield target.glob.pattern
            case Searched():
                yield from _searched(target.search)


def _targets(run: TestRun) -> tuple[Target, ...]:
    """What a run is given; without that it collects the folder that it is in."""
    if run.targets or not run.folder:
        return run.targets
    return (Named(path=run.folder, written=run.folder, place=run.place),)


def _searched(search: Search) -> Iterator[str]:
    """Where `find` looks: right in a folder for files of one name, or below it."""
    names = list(_names(search.test))
    for root in search.roots:
        if search.max_depth == 1 and len(names) == 1:
            yield posixpath.join(root.path, names[0])
        else:
            yield root.path


def _names(test: FindTest) -> Iterator[str]:
    match test:
        case NameIs(whole=False):
            yield test.pattern
        case AllOf():
            for inner in test.tests:
                yield from _names(inner)
        case _:
            pass
