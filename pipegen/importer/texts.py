r"""Texts of step files in the new language: who replaces a `$NAME`, and what Jinja must not see.

A step file was uploaded with variables: `$$` and `\$` were a dollar, `$NAME` what the uploading job had by that name.
In commands, some names stood for values that the generator put in. The new language says each of the three: `$NAME` is
the job's, `{{ upload.NAME }}` the upload's, `{{ vars.NAME }}` the generator's.
"""

import re
from collections.abc import Mapping
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Span
from pipegen.importer import codes
from pipegen.manifest.located import JINJA, Report

_DOLLAR: Final = re.compile(
    r"(?P<kept>\\\\)|(?P<job>\$\$|\\\$)|\$\{(?P<braced>[A-Za-z][A-Za-z0-9_]*)(?P<more>[^}]*)\}"
    r"|\$(?P<name>[A-Za-z][A-Za-z0-9_]*)|(?P<bad>\$\{)"
)
_TITLE_DROPS: Final = str.maketrans(dict.fromkeys("'\"$", ""))
TITLE_LENGTH: Final = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """Translates the texts of one pipeline. `substitution` are the names that its generator replaced in commands."""

    substitution: Mapping[str, str]
    report: Report

    def command(self, text: str, span: Span) -> str:
        """A command."""
        return self._translated(text, span, self.substitution)

    def value(self, text: str, span: Span) -> str:
        """Any other text."""
        return self._translated(text, span, {})

    def _translated(self, text: str, span: Span, substitution: Mapping[str, str]) -> str:
        def replaced(found: re.Match[str]) -> str:
            if found["kept"]:
                return found[0]
            if found["job"]:
                return "$"
            name = found["braced"] or found["name"]
            if name is None:
                self._refuse(found[0], span)
                return found[0]
            if found["name"] and name in substitution:
                return substitution[name]
            if found["more"]:
                self._refuse(found[0], span)
            return "{{ upload." + name + " }}"

        return _DOLLAR.sub(replaced, literal(text))

    def _refuse(self, text: str, span: Span) -> None:
        self.report.add(
            codes.NOT_CARRIED,
            span,
            f'"{text}" is a value of the upload with a rule of its own',
            hint="write $$ for a dollar of the job's shell, or declare a variable for it in the workspace file",
        )


def literal(text: str) -> str:
    """Text in which Jinja finds nothing to do."""
    return JINJA.sub("{{ '{{' }}", text)


def banner(title: str) -> str:
    """What a log shows of a command's title, which stands in quotes there."""
    return title[:TITLE_LENGTH].translate(_TITLE_DROPS)


def title_of(written: str, translated: str) -> str | None:
    """The title to write for a command; None where the one that goes without saying shows the same.

    The old generator cut the text of the file, in which a dollar of the job's had two signs.
    """
    wanted = banner(written)
    return None if banner(translated) == wanted else literal(wanted)
