"""Shell text to syntax: what is taken and what is refused, each as bash does, and what the parts are."""

import subprocess

import pytest

from pipegen.commands.shell.parser import parse
from pipegen.commands.shell.syntax import For, If, Literal, Parameter, ShellSyntaxError, Simple, Test

TAKEN = [
    "",
    "\n\n# only a comment",
    "a;",
    "a & b &",
    "a && b || c",
    "a |& b | c",
    "! a | b",
    "time -p a",
    "if a; then b; elif c; then d; else e; fi",
    "if a\nthen\nb\nfi > x",
    "while a; do b; done < x | c",
    "until a; do b; done",
    "for x in a b; do c; done",
    "for x\ndo c; done",
    "for x; do c; done",
    "for x in; do c; done",
    "for ((i = 0; i < 3; i++)); do c; done",
    "select x in a b; do c; break; done",
    "case x in a) b;; c | d) e ;& (f) g ;;& *) ;; esac",
    "case x in esac",
    "case $x in\n  a)\n    b\n    ;;\nesac",
    "f() { a; }",
    "f ( ) ( a )",
    "function f { a; }",
    "function f() { a; }",
    "f() for x in a; do b; done",
    "{ a; b; } 2>&1",
    "(a; b) > x",
    "(a) && (b)",
    "((a + 1))",
    "((a)) && b",
    "[[ a == b && ( c || d ) ]]",
    "[[ $x =~ ^(a|b)$ ]]",
    "[[ -f a ]] || b",
    "a=1 b= c+=2 d[0]=3 e",
    "a=(1 '2 3' $x)\nb+=(4)",
    "declare -a x=(1 2) y",
    "export A=1 B",
    "a 2>/dev/null >>b <c 3<&4 &>d &>>e >|f <>g",
    "a {fd}>x",
    "cat <<EOF\n$x `y` \\$z\nEOF",
    "cat <<'EOF' | b\n$x\nEOF\nc",
    "cat <<-EOF\n\ta\n\tEOF",
    "cat <<A <<B\n1\nA\n2\nB",
    "a <<< 'b'",
    "a <(b) >(c)",
    'echo $(a $(b) `c`) ${x:-$(d)} "$(e "f")"',
    "echo ${x} ${#x} ${!x} ${x[0]} ${x[@]} ${x%%.*} ${x//a/b} ${x:1:2} ${x^^} ${x@Q}",
    "echo $((1 + (2 * 3))) $1 $@ $* $# $? $$ $! $- $",
    "echo 'a'\"b\"\\c$'d\\n'$\"e\"",
    "a \\\n  b",
    "a # comment 'quote\nb",
    "echo a#b",
    "echo if then else",
    "echo {a,b} {1..3} {}",
    "echo } {",
    "a;\nb",
    "coproc_is_a_word=1",
]

REFUSED = [
    "'a",
    '"a',
    "`a",
    "$(a",
    "${a",
    "${",
    "if a; then b",
    "if a; fi",
    "if a; then fi",
    "then",
    "a; done",
    "for x in a; do b",
    "while a; do done",
    "case x in a) b",
    "case x in a b) c;; esac",
    "(a",
    "a)",
    "{ a; ",
    "}",
    "a && ",
    "a ||",
    "| a",
    "a | | b",
    "&& a",
    ";",
    "a ;; b",
    "a >",
    "a > > b",
    "cat <<",
    "[[ a",
    "a (b)",
    "f() {",
    "x=(a",
]


def bash_takes(text: str) -> bool:
    done = subprocess.run(["/bin/bash", "-n", "-c", text], capture_output=True, check=False, timeout=60)
    return done.returncode == 0


@pytest.mark.parametrize("text", TAKEN)
def test_what_is_taken(text: str) -> None:
    parse(text)
    assert bash_takes(text)


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_refused(text: str) -> None:
    with pytest.raises(ShellSyntaxError):
        parse(text)
    assert not bash_takes(text)


@pytest.mark.parametrize(
    "text", ["'a", "if a; then b", "$(a", "a &&", "(a", "cat <<EOF\nx", "x=(a", "for x in a; do b"]
)
def test_what_more_text_could_complete(text: str) -> None:
    with pytest.raises(ShellSyntaxError) as error:
        parse(text)
    assert error.value.incomplete


def simple(text: str) -> Simple:
    command = parse(text).script.lists[0].first.commands[0]
    assert isinstance(command, Simple)
    return command


class TestParts:
    def test_offsets_are_those_of_the_text(self) -> None:
        text = "A=1 'x y' \"z$B\""
        command = simple(text)
        assert text[command.assignments[0].at :].startswith("A=1")
        first, second = command.words
        assert isinstance(first.parts[0], Literal)
        assert text[first.parts[0].at :].startswith("x y")
        assert isinstance(second.parts[1], Parameter)
        assert text[second.parts[1].at :].startswith("$B")

    def test_here_documents_lie_beside_the_syntax(self) -> None:
        parsed = parse("cat <<EOF <<'END'\na $b\nEOF\nc $d\nEND\n")
        bodies = [[type(part).__name__ for part in body.parts] for _, body in sorted(parsed.documents.items())]
        assert bodies == [["Literal", "Parameter", "Literal"], ["Literal"]]

    def test_a_reserved_word_is_one_only_where_a_command_begins(self) -> None:
        assert [word.bare for word in simple("echo for if {").words] == ["echo", "for", "if", "{"]

    def test_lists_in_what_declares(self) -> None:
        command = simple("declare -a x=(1 2) y=3")
        assert [len(word.array) if word.array is not None else None for word in command.words] == [None, None, 2, None]

    def test_the_words_of_a_test(self) -> None:
        command = parse("[[ $a =~ ^(b|c)+$ && ! d ]]").script.lists[0].first.commands[0]
        assert isinstance(command, Test)
        assert len(command.words) == 6
        assert [command.words[index].bare for index in (1, 3, 4, 5)] == ["=~", "&&", "!", "d"]

    def test_compound_commands(self) -> None:
        lists = parse("for x in a; do b; done; if c; then d; fi").script.lists
        assert [type(one.first.commands[0]) for one in lists] == [For, If]
