"""What `lint` found, in every format that it prints."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Diagnostic, Severity
from pipegen.plain import Plain, PlainMap
from pipegen.report.github import render_github
from pipegen.report.json import diagnostic_data, render_json
from pipegen.report.markdown import render_markdown, style
from pipegen.report.sarif import render_sarif
from pipegen.report.text import Style, clean, render_blocks, summary

FORMATS: Final = ("text", "json", "sarif", "github", "buildkite")
JSON_VERSION: Final = 1
"""Of the JSON document: it grows when a key changes its meaning or goes, and not when one is added."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What there is to print: diagnostics, those that the base has too, how many were ignored or waived, and notes.

    `texts` are the files of the workspace by path, whose number is shown.
    """

    diagnostics: Sequence[Diagnostic]
    old: Sequence[Diagnostic]
    ignored: int
    waived: int
    texts: Mapping[str, str]
    notes: Sequence[str]

    @property
    def summary(self) -> str:
        """One line: how much of what was found, and in how many files."""
        count = len(self.texts)
        files = f"in {count} file{'' if count == 1 else 's'}"
        silent = [f", {many} {word}" for many, word in ((self.ignored, "ignored"), (self.waived, "waived")) if many]
        found = summary(self.diagnostics) if self.diagnostics else "no findings"
        return f"{found}{''.join(silent)} {files}"

    @property
    def style(self) -> str:
        """The style of a build's annotation."""
        return style(self.diagnostics)

    def _count(self, severity: Severity) -> int:
        return sum(1 for diagnostic in self.diagnostics if diagnostic.severity is severity)

    def text(self, shown: Style, shown_path: Callable[[str], str]) -> str:
        """For people: each with its line, the notes, and the summary."""
        blocks = render_blocks(self.diagnostics, self.texts.get, shown, shown_path=shown_path)
        return "".join(block + "\n" for block in [*blocks, *map(clean, self.notes), self.summary])

    def markdown(self, shown_path: Callable[[str], str]) -> str:
        """For a build's annotation."""
        return render_markdown(self.diagnostics, self.summary, self.notes, shown_path)

    def github(self, shown_path: Callable[[str], str]) -> str:
        """For GitHub's annotations; notes and summary go to the log as they are."""
        return render_github(self.diagnostics, shown_path) + "".join(
            f"{clean(line)}\n" for line in [*self.notes, self.summary]
        )

    def sarif(self, version: str, shown_path: Callable[[str], str]) -> str:
        """For code scanners."""
        return render_sarif(self.diagnostics, version, shown_path)

    def json(self) -> str:
        """For programs; paths are from the workspace's root."""
        counts: PlainMap = {f"{word.value}s": self._count(word) for word in Severity}
        old: list[Plain] = [diagnostic_data(diagnostic) for diagnostic in self.old]
        return render_json(
            {
                "version": JSON_VERSION,
                "diagnostics": [diagnostic_data(diagnostic) for diagnostic in self.diagnostics],
                "old": old,
                "summary": {
                    **counts,
                    "old": len(self.old),
                    "ignored": self.ignored,
                    "waived": self.waived,
                    "files": len(self.texts),
                },
                "notes": list[Plain](self.notes),
            }
        )
