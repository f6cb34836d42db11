"""Files that hold what pipegen printed when someone last read it and found it right."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Golden:
    """Compares texts with files; with `update` (pytest's `--update-golden`) it writes them instead."""

    update: bool

    def check(self, path: Path, text: str) -> None:
        """Assert that the file holds the text. A new file is written by an update alone, never by a plain run."""
        if self.update:
            path.write_text(text, encoding="utf-8", newline="")
        assert path.is_file(), f"{path} is not there: run pytest --update-golden and read what it writes"
        expected = path.read_bytes().decode()
        assert text == expected, f"not what {path} holds: run pytest --update-golden and read what changes"
