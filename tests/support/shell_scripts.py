"""Scripts that call pytest in many ways, and a stub of pytest that notes how a real shell calls it."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from hypothesis import strategies as st

FOLDERS = ("a", "b", "a/c")

STUB = """\
#!/bin/sh
printf '%s\\0%s\\0' "$(pwd)" "$*" >> "$NOTES"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """One call of pytest: where, from the root, and its arguments with blanks between them."""

    folder: str
    arguments: str


def run_with_stub(text: str, root: Path, shell: str = "bash") -> list[Ran]:
    """Run a script in a real shell and give the calls of pytest in it."""
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True, exist_ok=True)
    programs = root / ".programs"
    programs.mkdir(exist_ok=True)
    stub = programs / "pytest"
    stub.write_text(STUB, encoding="utf-8")
    stub.chmod(0o755)
    notes = root / ".notes"
    notes.write_text("", encoding="utf-8")
    environment = {"PATH": f"{programs}:/usr/bin:/bin", "NOTES": str(notes), "ROOT": str(root), "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [f"/bin/{shell}", "-c", text], cwd=root, env=environment, capture_output=True, timeout=60, check=False
    )
    assert b"syntax error" not in done.stderr, done.stderr.decode()
    lines = notes.read_text(encoding="utf-8").split("\0")[:-1]
    return [
        Ran(folder=os.path.relpath(folder, root).removeprefix("."), arguments=arguments)
        for folder, arguments in zip(lines[::2], lines[1::2], strict=True)
    ]


_WORD = st.sampled_from(["x", "y.py", "t/z", "$v", '"$v"', "${v:-w}", "$1", '"$@"', "{m,n}", "'q'", "$(echo o p)"])
_CALL = st.lists(_WORD, max_size=3).map(lambda words: " ".join(["pytest", *words]))
_FOLDER = st.sampled_from(FOLDERS)
_SIMPLE = st.one_of(
    _CALL,
    _CALL.map(lambda call: f"A=1 B='2 3' {call}"),
    _CALL.map(lambda call: f"timeout 60 {call}"),
    _CALL.map(lambda call: f"env -u Q A=1 {call} >/dev/null 2>&1"),
    _FOLDER.map(lambda folder: f'cd "$ROOT/{folder}"'),
    st.just('cd "$ROOT"'),
    st.sampled_from(["v=k", "v='r s'", "v=", "export v=e", "set -- l 'm n'", "true", ":", "unset v", "v=$v.u"]),
    st.sampled_from(["# a comment\ntrue", "echo hello >/dev/null", "v=$(echo a; echo b)", "f", "f g h"]),
    _CALL.map(lambda call: f"bash -c 'cd \"$ROOT/b\"; {call.replace(chr(39), '')}' name i j"),
    _CALL.map(lambda call: f"eval '{call.replace(chr(39), '')}'"),
    _CALL.map(lambda call: f"cat <<'EOF' >/dev/null\n{call}\nEOF"),
    _CALL.map(lambda call: f"bash <<EOF\n{call.replace('$@', 'at').replace('$1', 'one')}\nEOF"),
    st.sampled_from(
        ["echo 'u v' w | xargs pytest", "printf '%s\\n' u v | xargs -n1 pytest -q", "echo u | xargs -I{} pytest {}/k"]
    ),
    st.sampled_from(["pytest x | cat", "! false"]),
)


def _compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    test = st.sampled_from(['[ "$v" = k ]', "[[ $v == k* ]]", "true", "false", '[ -z "$v" ]', 'test -n "$v"', "! true"])
    block = st.lists(inner, min_size=1, max_size=3).map("\n".join)
    return st.one_of(
        st.tuples(inner, inner).map(lambda two: f"{{ {two[0]}\n}} && {{ {two[1]}\n}}"),
        st.tuples(test, block).map(lambda two: f"{two[0]} && {{\n{two[1]}\n}}"),
        st.tuples(test, block).map(lambda two: f"{two[0]} || {{\n{two[1]}\n}}"),
        block.map(lambda body: f"( \n{body}\n)"),
        block.map(lambda body: f"{{\n{body}\n}}"),
        st.tuples(test, block, block).map(lambda three: f"if {three[0]}; then\n{three[1]}\nelse\n{three[2]}\nfi"),
        st.tuples(test, block, test, block).map(
            lambda four: f"if {four[0]}; then\n{four[1]}\nelif {four[2]}\nthen\n{four[3]}\nfi"
        ),
        st.tuples(_WORD, block).map(lambda two: f"for v in k {two[0]}; do\n{two[1]}\ndone"),
        block.map(lambda body: f"for v; do\n{body}\ndone"),
        block.map(lambda body: f'for v in 1 2 3; do\n{body}\n[ "$v" = 2 ] && break\ndone'),
        block.map(lambda body: f'for v in 1 2 3; do\n[ "$v" = 2 ] && continue\n{body}\ndone'),
        block.map(lambda body: f"while true; do\n{body}\nbreak\ndone"),
        block.map(lambda body: f"while false; do\n{body}\ndone"),
        block.map(lambda body: f"printf '%s\\n' s t | while read -r v; do\n{body}\ndone"),
        st.tuples(block, block).map(
            lambda two: f"case $v in\nk|z) {two[0]}\n;;\n(e*)\n{two[1]}\n;;\n*) pytest other;;\nesac"
        ),
        block.map(lambda body: f"g() {{\nlocal v=loc\n{body}\nreturn\npytest never\n}}\ng n"),
        block.map(lambda body: f"( {body}\nexit 0\npytest never)"),
    )


def scripts() -> st.SearchStrategy[str]:
    """Scripts whose every word, condition and folder is known."""
    command = st.recursive(_SIMPLE, _compound, max_leaves=6)
    lines = st.lists(command, min_size=1, max_size=5).map("\n".join)
    return lines.map(lambda body: f'export v=k\nset -- l m\nf() {{ pytest from-f "$#"; }}\n{body}\n')
