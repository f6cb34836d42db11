"""What a run leaves for the next one: documents in a folder of the user's own, each under a key."""

import contextlib
import hashlib
import json
import os
import stat
import tempfile
from pathlib import Path
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.plain import Plain

MAX_BYTES: Final = 1 << 24
"""Of a document: a larger one is neither kept nor read."""
MAX_DOCUMENTS: Final = 100
"""In the folder: the oldest go first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """A folder of documents. What cannot be read there was never kept, and what cannot be kept is not.

    Nothing is read that somebody else may have written: whoever can write a verdict decides what a check says.
    """

    folder: Path

    def recall(self, key: str) -> Plain:
        """The document of a key, as JSON has it; None if there is none."""
        try:
            if not _is_ours(self.folder):
                return None
            with self._place(key).open("rb") as stream:
                if not _is_own(os.fstat(stream.fileno())):
                    return None
                content = stream.read(MAX_BYTES + 1)
            found: Plain = json.loads(content) if len(content) <= MAX_BYTES else None
        except (OSError, ValueError, RecursionError):
            return None
        return found

    def keep(self, key: str, document: Plain) -> None:
        """Keep a document under a key, instead of what was there. Others see the old one or the new one whole."""
        content = json.dumps(document, separators=(",", ":")).encode("ascii")
        if len(content) > MAX_BYTES:
            return
        with contextlib.suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if _is_ours(self.folder):
                self._write(self._place(key), content)
                self._forget()

    def _place(self, key: str) -> Path:
        return self.folder / f"{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()}.json"

    def _write(self, place: Path, content: bytes) -> None:
        descriptor, name = tempfile.mkstemp(dir=self.folder, prefix=".new-")
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(content)
            Path(name).replace(place)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise

    def _forget(self) -> None:
        found = sorted(((path.stat().st_mtime_ns, path) for path in self.folder.iterdir()), reverse=True)
        for _, path in found[MAX_DOCUMENTS:]:
            path.unlink(missing_ok=True)


def _is_ours(folder: Path) -> bool:
    """Whether the folder belongs to this user and nobody else may write in it."""
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and _is_own(found)


def _is_own(found: os.stat_result) -> bool:
    """Whether something belongs to this user, and nobody else may write to it."""
    others = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return not others and (not hasattr(os, "getuid") or found.st_uid == os.getuid())
