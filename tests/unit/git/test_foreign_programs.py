"""git runs none of the programs that a repository's settings, attributes and hooks name."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from pipegen.git import (
    ChangeSet,
    Comparison,
    Everything,
    Git,
    RevisionTree,
    change_set,
    landed_changes,
    repository_root,
    tracked_files,
)
from tests.support.repositories import Repository, script


@dataclass(frozen=True, slots=True, kw_only=True)
class Trap:
    """A repository in which running `program` leaves a mark."""

    repository: Repository
    program: Path
    mark: Path

    def is_sprung(self) -> bool:
        return self.mark.exists()


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    upstream = Repository.create(tmp_path / "upstream")
    upstream.commit_files("a.py", "dir/b.py")
    clone = upstream.clone(tmp_path / "clone")
    clone.branch("topic")
    clone.commit_files("a.py", message="more")
    mark = tmp_path / "mark"
    program = script(tmp_path / "program", f'touch "{mark}"')
    return Trap(repository=clone, program=program, mark=mark)


def set_hooks(trap: Trap) -> None:
    hooks = trap.repository.path / ".git/own-hooks"
    hooks.mkdir()
    for name in ("post-index-change", "reference-transaction", "pre-auto-gc", "post-checkout", "post-rewrite"):
        (hooks / name).symlink_to(trap.program)
    trap.repository.git("config", "core.hooksPath", str(hooks))


def spring_hooks(trap: Trap) -> None:
    trap.repository.git("update-ref", "refs/heads/other", "HEAD")


def set_fsmonitor(trap: Trap) -> None:
    trap.repository.git("config", "core.fsmonitor", str(trap.program))


def spring_fsmonitor(trap: Trap) -> None:
    trap.repository.git("status")


def set_external_diff(trap: Trap) -> None:
    trap.repository.git("config", "diff.external", str(trap.program))


def spring_diff(trap: Trap) -> None:
    trap.repository.git("diff", "HEAD~1", "HEAD")


def _set_attribute(trap: Trap, attribute: str) -> None:
    (trap.repository.path / ".git/info").mkdir(exist_ok=True)
    (trap.repository.path / ".git/info/attributes").write_text(f"* {attribute}\n")


def set_diff_driver(trap: Trap) -> None:
    _set_attribute(trap, "diff=own")
    trap.repository.git("config", "diff.own.command", str(trap.program))


def set_text_conversion(trap: Trap) -> None:
    _set_attribute(trap, "diff=own")
    trap.repository.git("config", "diff.own.textconv", str(trap.program))


def set_filter(trap: Trap) -> None:
    _set_attribute(trap, "filter=own")
    for name in ("clean", "smudge"):
        trap.repository.git("config", f"filter.own.{name}", str(trap.program))


def spring_filter(trap: Trap) -> None:
    trap.repository.write("a.py", "changed on disk\n")
    trap.repository.git("diff", "--stat")


def set_filter_process(trap: Trap) -> None:
    _set_attribute(trap, "filter=own")
    trap.repository.git("config", "filter.own.process", str(trap.program))


def spring_filter_process(trap: Trap) -> None:
    with pytest.raises(AssertionError, match="hung up"):
        spring_filter(trap)


def set_signature_check(trap: Trap) -> None:
    """A signed commit, and a setting that has signatures checked whenever history is shown."""
    lines = trap.repository.git("cat-file", "commit", "HEAD").split("\n")
    blank = lines.index("")
    lines[blank:blank] = ["gpgsig -----BEGIN PGP SIGNATURE-----", " ", " none", " -----END PGP SIGNATURE-----"]
    signed = trap.repository.git(
        "hash-object", "-w", "-t", "commit", "--stdin", content="\n".join(lines).encode() + b"\n"
    )
    trap.repository.git("update-ref", "HEAD", signed)
    trap.repository.git("config", "log.showSignature", "true")
    trap.repository.git("config", "gpg.program", str(trap.program))


def spring_signature_check(trap: Trap) -> None:
    trap.repository.git("log", "-1")


def set_remote_helper(trap: Trap) -> None:
    trap.repository.git("config", "protocol.ext.allow", "always")
    trap.repository.git("remote", "set-url", "origin", f"ext::{trap.program}")


def spring_fetch(trap: Trap) -> None:
    with pytest.raises(AssertionError, match="fetch"):
        trap.repository.git("fetch", "origin")


TRAPS: tuple[tuple[Callable[[Trap], None], Callable[[Trap], None]], ...] = (
    (set_hooks, spring_hooks),
    (set_fsmonitor, spring_fsmonitor),
    (set_external_diff, spring_diff),
    (set_diff_driver, spring_diff),
    (set_text_conversion, spring_diff),
    (set_filter, spring_filter),
    (set_filter_process, spring_filter_process),
    (set_signature_check, spring_signature_check),
    (set_remote_helper, spring_fetch),
)


def use_everything(git: Git) -> None:
    """All that pipegen asks git for, each with its answer, and a fetch that cannot be done without."""
    assert isinstance(change_set(git, Comparison(base="origin/main"), fetch=True), ChangeSet)
    assert isinstance(change_set(git, Comparison(base="origin/gone"), fetch=True), Everything)
    assert repository_root(git) == git.folder
    assert set(tracked_files(git)) == {"a.py", "dir/b.py"}
    assert set(tracked_files(git, untracked=True)) >= {"a.py", "dir/b.py"}
    tree = RevisionTree.of(git, "HEAD")
    assert tree.read("a.py", limit=99) == b"more a.py\n"
    assert tree.under("dir") == ("dir/b.py",)
    assert landed_changes(git).unknown is None


@pytest.mark.parametrize(("arm", "spring"), TRAPS, ids=[arm.__name__.removeprefix("set_") for arm, _ in TRAPS])
def test_none_is_run(trap: Trap, arm: Callable[[Trap], None], spring: Callable[[Trap], None]) -> None:
    arm(trap)
    spring(trap)
    assert trap.is_sprung(), "the trap does not work, so it proves nothing"
    trap.mark.unlink()
    use_everything(trap.repository.command)
    assert not trap.is_sprung()


def test_a_fetch_runs_no_hook(trap: Trap) -> None:
    set_hooks(trap)
    upstream = Repository(path=trap.repository.path.parent / "upstream")
    upstream.branch("late")
    found = change_set(trap.repository.command, Comparison(base="origin/late"), fetch=True)
    assert isinstance(found, ChangeSet)
    assert trap.repository.id_of("origin/late") == upstream.head
    assert not trap.is_sprung()


def test_programs_of_the_environment_are_not_run_either(trap: Trap) -> None:
    programs = {"GIT_EXTERNAL_DIFF": str(trap.program), "GIT_PAGER": str(trap.program), "PAGER": str(trap.program)}
    trap.repository.git("diff", "HEAD~1", "HEAD", extra=programs)
    assert trap.is_sprung()
    trap.mark.unlink()
    use_everything(trap.repository.command_in("", programs))
    assert not trap.is_sprung()


class _Locked(BaseHTTPRequestHandler):
    """A server that wants a password for everything."""

    def do_GET(self) -> None:
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="tests"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        """Say nothing on standard error."""


@pytest.fixture
def locked_server() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), _Locked) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/repository.git"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("means", ["core.askPass", "SSH_ASKPASS"])
def test_nobody_is_asked_for_a_password(trap: Trap, locked_server: str, means: str) -> None:
    trap.repository.git("remote", "set-url", "origin", locked_server)
    extra = {}
    if means == "core.askPass":
        trap.repository.git("config", means, str(trap.program))
    else:
        extra[means] = str(trap.program)
    with pytest.raises(AssertionError, match="Authentication failed"):
        trap.repository.git("fetch", "origin", extra=extra)
    assert trap.is_sprung()
    trap.mark.unlink()
    found = change_set(trap.repository.command_in("", extra), Comparison(base="origin/gone"), fetch=True)
    assert isinstance(found, Everything)
    assert "could not read Username" in found.why
    assert not trap.is_sprung()
