"""Whether a command that fails makes the whole fail: shell text run with one failure in it.

    lost = ending_of(Whole.of(parse(text).script), offset, Options(errexit=True))

A shell drops a status in many ways: `|| true`, a pipe, `;` without `-e`, a background, a condition. Instead of a list
of such forms, the text is run as POSIX (XCU 2.8.1, 2.9 and `set -e` of 2.15) and bash say, with one command taken to
fail and the others to succeed; what is left is the status of the whole. Where that depends on something else that is
not known, nothing is said.
"""

from pipegen.commands.ending.locate import Whole
from pipegen.commands.ending.outcomes import Lost, Options
from pipegen.commands.ending.running import ending_of, fails_at_once

__all__ = ["Lost", "Options", "Whole", "ending_of", "fails_at_once"]
