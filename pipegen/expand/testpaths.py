"""Test entries: from what authors write to paths of the repository, and on to words of a job's shell."""

import posixpath

from pipegen import shell
from pipegen.manifest.located import Scalar
from pipegen.model import Located, TestPath, TestSettings


def test_path(entry: Scalar | Located, settings: TestSettings) -> TestPath:
    """The path of a test entry from the repository's root: relative to the first test root, or with `//` to the top."""
    path = settings.path_of(entry.text)
    return TestPath(path=path, file=path.split("::", 1)[0].rstrip("/"), written=entry.text, span=entry.span)


test_path.__test__ = False  # type: ignore[attr-defined]  # its name is a pytest pattern


def relative_path(path: str, settings: TestSettings, working_dir: str) -> str:
    """A repository path as a job in `working_dir` names it, a trailing slash and a node id kept."""
    file, separator, node_id = path.partition("::")
    checkout = posixpath.join("/", settings.checkout)  # relpath would put the current folder in front of a relative one
    here = posixpath.normpath(posixpath.join(checkout, working_dir))
    relative = posixpath.relpath(posixpath.join(checkout, file.rstrip("/")), here)
    return relative + ("/" if file.endswith("/") else "") + separator + node_id


def word(path: str, settings: TestSettings, working_dir: str) -> str:
    """A repository path as a shell word, relative to the job's working directory; globs are left to its shell."""
    written = relative_path(path, settings, working_dir)
    if any(character in path.partition("::")[0] for character in "*?["):
        return shell.quote_glob(written)
    return shell.quote(written)


def contains(outer: TestPath, inner: TestPath) -> bool:
    """Whether running `outer` would run `inner` as well, and more: `inner` lies inside of it."""
    if "::" in outer.path:
        return inner.path.startswith(outer.path + "::")
    if outer.is_glob:
        # A folder that the glob's own path leads through holds some of what it names.
        return shell.glob_reaches(outer.file, inner.file) or shell.glob_passes(outer.file, inner.file)
    if inner.file == outer.file:
        return "::" in inner.path
    return inner.file.startswith(outer.file + "/")
