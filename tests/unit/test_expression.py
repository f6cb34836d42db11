"""pytest's expression language, case by case: texts, refusals, negations, proofs and matches."""

import pytest

from pipegen.expression import (
    MAX_ATOMS,
    MAX_DEPTH,
    MAX_OPERANDS,
    And,
    Call,
    Coverage,
    Expression,
    ExpressionError,
    Kind,
    Name,
    Not,
    Or,
    complement,
    conjunction,
    covers,
    disjoint,
    disjunction,
    matches_keyword,
    matches_marks,
    parse,
    render,
)


def k(text: str) -> Expression:
    return parse(text, Kind.KEYWORD)


def m(text: str) -> Expression:
    return parse(text, Kind.MARK)


A, B, C = Name(text="a"), Name(text="b"), Name(text="c")


class TestParse:
    @pytest.mark.parametrize(
        ("text", "tree"),
        [
            ("a", A),
            ("a or b and c", Or(operands=(A, And(operands=(B, C))))),
            ("(a or b) and c", And(operands=(Or(operands=(A, B)), C))),
            ("not a and b", And(operands=(Not(operand=A), B))),
            ("not (a and b)", Not(operand=And(operands=(A, B)))),
            ("not not a", Not(operand=Not(operand=A))),
            ("a or b or c", Or(operands=(A, B, C))),
            ("a or (b or c)", Or(operands=(A, B, C))),
            ("((a) and (b and c))", And(operands=(A, B, C))),
            ("a\tor  b", Or(operands=(A, B))),
            ("\n  a", A),
            ("+rms_norm", Name(text="+rms_norm")),
            ("test_x[1-fp8.e4m3]", Name(text="test_x[1-fp8.e4m3]")),
            (r"a\b/c::d", Name(text=r"a\b/c::d")),
            ("NOT", Name(text="NOT")),
            ("None", Name(text="None")),
            ("notable", Name(text="notable")),
            ("tést", Name(text="tést")),
        ],
    )
    def test_keywords(self, text: str, tree: Expression) -> None:
        assert k(text) == tree

    @pytest.mark.parametrize(
        ("text", "arguments"),
        [
            ("f(n=2)", (("n", 2),)),
            ("f (n = -2)", (("n", -2),)),
            ("f(n=007)", (("n", 7),)),
            ("f(a='x y', b=\"it's\")", (("a", "x y"), ("b", "it's"))),
            ("f(a=True, b=False, c=None)", (("a", True), ("b", False), ("c", None))),
            ("f(match=1)", (("match", 1),)),
        ],
    )
    def test_calls(self, text: str, arguments: tuple[tuple[str, str | int | None], ...]) -> None:
        call = m(text)
        assert call == Call(name="f", arguments=arguments)
        assert isinstance(call, Call)
        assert [type(value) for _, value in call.arguments] == [type(value) for _, value in arguments]

    def test_columns(self) -> None:
        expression = m(" a and not (b or f(n=1))")
        assert isinstance(expression, And)
        first, second = expression.operands
        assert isinstance(second, Not)
        assert isinstance(second.operand, Or)
        assert (expression.column, first.column, second.column) == (2, 2, 8)
        assert [part.column for part in second.operand.operands] == [13, 18]

    def test_columns_are_no_difference(self) -> None:
        assert k("  a") == k("a")
        assert len({k("  a"), k("a")}) == 1


class TestRefusals:
    @pytest.mark.parametrize(
        ("kind", "text", "column", "message"),
        [
            (Kind.KEYWORD, "", 1, "expected an expression, found nothing"),
            (Kind.MARK, " \t", 1, "expected an expression, found nothing"),
            (Kind.KEYWORD, "a or", 5, 'expected a name, "not" or "(", found the end of the expression'),
            (Kind.KEYWORD, "a and or b", 7, 'expected a name, "not" or "(", found "or"'),
            (Kind.KEYWORD, "()", 2, 'expected a name, "not" or "(", found ")"'),
            (Kind.KEYWORD, "a b", 3, 'expected "and", "or" or the end of the expression, found "b"'),
            (Kind.KEYWORD, "a not b", 3, 'expected "and", "or" or the end of the expression, found "not"'),
            (Kind.KEYWORD, "(a b)", 4, 'expected "and", "or" or ")", found "b"'),
            (Kind.KEYWORD, "(a", 3, 'expected "and", "or" or ")", found the end of the expression'),
            (Kind.KEYWORD, "'a'", 1, """expected a name, "not" or "(", found "'a'\""""),
            (Kind.KEYWORD, "a*", 2, 'expected names, "and", "or", "not" and parentheses, found "*"'),
            (Kind.KEYWORD, "a\n", 2, 'expected names, "and", "or", "not" and parentheses, found a line break'),
            (Kind.MARK, "\na", 1, 'expected names, "and", "or", "not" and parentheses, found a line break'),
            (
                Kind.KEYWORD,
                "a or f(n=1)",
                7,
                'expected "and", "or" or the end of the expression, found "(" after "f"',
            ),
            (Kind.MARK, "f()", 3, 'expected the name of an argument, found ")"'),
            (Kind.MARK, "f(n)", 4, 'expected "=" after "n", found ")"'),
            (Kind.MARK, "f(a=1 b=2)", 7, 'expected "," or ")", found "b"'),
            (Kind.MARK, "f(a=1,)", 7, 'expected the name of an argument, found ")"'),
            (Kind.MARK, "f(a=1, a=2)", 8, 'expected each argument once, found "a" again'),
            (Kind.MARK, "f(a.b=1)", 3, 'expected a Python name for the argument, found "a.b"'),
            (Kind.MARK, "f(if=1)", 3, 'expected a Python name for the argument, found "if"'),
            (Kind.MARK, "f(__debug__=1)", 3, 'expected a Python name for the argument, found "__debug__"'),
            (
                Kind.MARK,
                "f(a=1.5)",
                5,
                'expected a quoted text, an integer, True, False or None, found "1.5"',
            ),
            (Kind.MARK, "f(a=²)", 5, 'expected a quoted text, an integer, True, False or None, found "²"'),
            (Kind.MARK, "f(a='x)", 5, "expected a closing ', found the end of the expression"),
            (Kind.MARK, "f(a='x\\n')", 7, 'expected a text without backslashes, found "x\\\\n"'),
        ],
    )
    def test_message_and_column(self, kind: Kind, text: str, column: int, message: str) -> None:
        with pytest.raises(ExpressionError) as refusal:
            parse(text, kind)
        assert (str(refusal.value), refusal.value.column) == (message, column)

    @pytest.mark.parametrize(
        ("text", "help_line"),
        [
            ("a OR b", 'write "or"'),
            ("a, b", 'write "or"'),
            ("a | b", 'write "or"'),
            ("a && b", 'write "and"'),
            ("!a", 'write "not"'),
            ("test_*", 'leave out "*": pytest has no wildcards here'),
            ("a or\nb", "write the expression on one line"),
            ("'a' or b", "write names without quotes"),
            ("a b", 'write names joined with "and", "or" and "not"'),
        ],
    )
    def test_what_to_type(self, text: str, help_line: str) -> None:
        with pytest.raises(ExpressionError) as refusal:
            k(text)
        assert refusal.value.help == help_line

    def test_arguments_are_for_marks(self) -> None:
        with pytest.raises(ExpressionError) as refusal:
            k("distributed(num_gpus=2)")
        assert refusal.value.help == 'only "m" takes arguments of marks'

    def test_an_argument_without_quotes(self) -> None:
        with pytest.raises(ExpressionError) as refusal:
            m("device(serial=abc)")
        assert refusal.value.help == "write 'abc'"

    def test_a_number_that_python_does_not_convert(self) -> None:
        with pytest.raises(ExpressionError, match="expected an integer of a reasonable size"):
            m(f"f(a={'9' * 5000})")

    @pytest.mark.parametrize(
        ("opening", "closing", "times"),
        [("(", ")", MAX_DEPTH), ("not ", "", MAX_DEPTH), ("not (", ")", MAX_DEPTH // 2)],
    )
    def test_depth(self, opening: str, closing: str, times: int) -> None:
        expression = k(opening * times + "a" + closing * times)
        assert matches_keyword(expression, ["a"]) is (times % 2 == 0 or opening == "(")
        for more in (times + 1, 5000):
            with pytest.raises(ExpressionError, match=f"expected at most {MAX_DEPTH} levels, found more"):
                k(opening * more + "a" + closing * more)

    @pytest.mark.parametrize("operator", ["and", "or"])
    def test_operands(self, operator: str) -> None:
        names = [f"n{number}" for number in range(MAX_OPERANDS)]
        text = f" {operator} ".join(names)
        assert render(k(text)) == text
        with pytest.raises(ExpressionError) as refusal:
            k(f"x and ({text} {operator} more)" if operator == "or" else f"{text} and more")
        assert str(refusal.value) == (
            f'expected at most {MAX_OPERANDS} operands of one "{operator}", found {MAX_OPERANDS + 1}'
        )


class TestRender:
    @pytest.mark.parametrize(
        "text",
        [
            "deepseek_eagle or qwen3_eagle3",
            "not ray and not True",
            "inductor_partition and not +rms_norm and (not +quant_fp8 or +quant_fp8 and (qwen3 or deepseek))",
            "not insecure and not (test_bench_serve and not test_bench_serve_chat)",
            "not not a",
            "qwen3.5-35b or deepseek-v2-lite",
        ],
    )
    def test_authors_texts_come_back(self, text: str) -> None:
        assert render(k(text)) == text

    @pytest.mark.parametrize(
        "text",
        [
            "distributed(num_gpus=2)",
            "split(group=1) and not core_model",
            "f(a='x', b=-1, c=True, d=False, e=None)",
            'f(a="it\'s")',
        ],
    )
    def test_marks(self, text: str) -> None:
        assert render(m(text)) == text

    @pytest.mark.parametrize(
        ("text", "simple"),
        [
            ("(not slow_test)", "not slow_test"),
            ("(not core_model) and (not hybrid_model)", "not core_model and not hybrid_model"),
            ("(a and b) or c", "a and b or c"),
            ("a or (b or (c))", "a or b or c"),
            ("not(a)", "not a"),
            ("  a\tand\tb ", "a and b"),
        ],
    )
    def test_needless_parentheses_and_spaces_go(self, text: str, simple: str) -> None:
        assert render(k(text)) == simple

    def test_spaces_in_calls(self) -> None:
        assert render(m('f ( a = "x" ,b=1 )')) == "f(a='x', b=1)"

    def test_a_nested_row_is_written_flat(self) -> None:
        assert render(Or(operands=(A, Or(operands=(B, C))))) == "a or b or c"
        assert render(And(operands=(And(operands=(A, B)), C))) == "a and b and c"


class TestComplement:
    @pytest.mark.parametrize(
        ("texts", "rest"),
        [
            (["deepseek_eagle or qwen3_eagle3"], "not deepseek_eagle and not qwen3_eagle3"),
            (["a", "b or c"], "not a and not b and not c"),
            (["a and b"], "not (a and b)"),
            (["a and not b"], "not (a and not b)"),
            (["not a"], "a"),
            (["not not a"], "not a"),
            (["not not not a"], "a"),
            (["not (a and b)"], "a and b"),
            (["not (a or b)"], "a or b"),
            (["not (a or b)", "c"], "(a or b) and not c"),
            (["not a and not b"], "a or b"),
            (["not a and not (b or c)", "d"], "(a or b or c) and not d"),
            (["a and b or c"], "not (a and b) and not c"),
            (["a", "a", "b or a"], "not a and not b"),
            (["a and (b or c)"], "not (a and (b or c))"),
        ],
    )
    def test_reads_as_a_person_would_write_it(self, texts: list[str], rest: str) -> None:
        assert render(complement([k(text) for text in texts])) == rest

    def test_of_marks(self) -> None:
        parts = [m("distributed(num_gpus=2)"), m("distributed(num_gpus=4)")]
        assert render(complement(parts)) == "not distributed(num_gpus=2) and not distributed(num_gpus=4)"

    def test_of_nothing(self) -> None:
        with pytest.raises(ValueError, match="expected at least one expression"):
            complement([])


class TestCombinations:
    @pytest.mark.parametrize(
        ("first", "second", "both"),
        [
            ("a", "b", "a and b"),
            ("a or b", "c", "(a or b) and c"),
            ("a and b", "b and c", "a and b and c"),
            ("a", "a", "a"),
            ("not a", "b or c", "not a and (b or c)"),
        ],
    )
    def test_conjunction(self, first: str, second: str, both: str) -> None:
        assert render(conjunction(k(first), k(second))) == both

    def test_disjunction(self) -> None:
        assert render(disjunction(k("a or b"), k("b or c and d"))) == "a or b or c and d"

    def test_of_nothing(self) -> None:
        with pytest.raises(ValueError, match="expected at least one expression"):
            conjunction()
        with pytest.raises(ValueError, match="expected at least one expression"):
            disjunction()


def many(count: int) -> str:
    return " or ".join(f"n{number}" for number in range(count))


class TestCovers:
    @pytest.mark.parametrize(
        "texts",
        [
            ["a", "not a"],
            ["a or b", "not a and not b"],
            ["a or b", "not a"],
            ["not (a and b)", "a and b"],
            ["a and b", "a and not b", "not a"],
            ["not a", "not b", "a and b"],
            ["a or not a"],
        ],
    )
    def test_proven(self, texts: list[str]) -> None:
        assert covers([k(text) for text in texts]) is Coverage.PROVEN

    @pytest.mark.parametrize(
        "texts", [[], ["a"], ["a", "b"], ["a", "not b"], ["a and b", "not a and not b"], ["a and not a"]]
    )
    def test_unproven(self, texts: list[str]) -> None:
        assert covers([k(text) for text in texts]) is Coverage.UNPROVEN

    @pytest.mark.parametrize(
        ("texts", "answer"),
        [
            (["distributed", "not distributed(num_gpus=2)"], Coverage.PROVEN),
            (["f(a=1)", "not f(a=1, b=2)"], Coverage.PROVEN),
            (["f(a=1, b=2)", "not f(b=2, a=1)"], Coverage.PROVEN),
            (["f(a=1)", "not f(a=True)"], Coverage.PROVEN),
            (["distributed(num_gpus=2)", "not distributed"], Coverage.UNPROVEN),
            (["f(a=1)", "not f(a=2)"], Coverage.UNPROVEN),
            (["f(a=1)", "not f(a='1')"], Coverage.UNPROVEN),
            (["g", "not f(a=1)"], Coverage.UNPROVEN),
        ],
    )
    def test_a_mark_with_arguments_is_a_mark(self, texts: list[str], answer: Coverage) -> None:
        assert covers([m(text) for text in texts]) is answer

    def test_the_bound(self) -> None:
        """A proof that needs the table is there up to the bound; beyond it one that is plain to see still is."""

        def needs_the_table(count: int) -> list[Expression]:
            return [k("a and b"), k("a and not b"), k(f"not a and ({many(count - 2)})"), k(f"not ({many(count - 2)})")]

        assert covers(needs_the_table(MAX_ATOMS)) is Coverage.PROVEN
        assert covers(needs_the_table(MAX_ATOMS + 1)) is Coverage.UNPROVEN
        parts = [k(many(40)), k("x and y"), k("not (p or q)"), k("not r and not s")]
        assert covers(parts) is Coverage.UNPROVEN
        assert covers([*parts, complement(parts)]) is Coverage.PROVEN
        assert covers([*parts, complement(parts[:-1])]) is Coverage.PROVEN
        assert covers([*parts[:-1], complement(parts)]) is Coverage.UNPROVEN


class TestDisjoint:
    @pytest.mark.parametrize(
        ("first", "second", "answer"),
        [
            ("a", "not a", Coverage.PROVEN),
            ("a and b", "not a and c", Coverage.PROVEN),
            ("a or b", "not a and not b", Coverage.PROVEN),
            ("a and not a", "b", Coverage.PROVEN),
            ("a", "b", Coverage.UNPROVEN),
            ("a or b", "not a", Coverage.UNPROVEN),
            (many(30), f"not ({many(30)})", Coverage.PROVEN),
            (many(30), f"not ({many(29)})", Coverage.UNPROVEN),
        ],
    )
    def test_keywords(self, first: str, second: str, answer: Coverage) -> None:
        assert disjoint(k(first), k(second)) is answer
        assert disjoint(k(second), k(first)) is answer

    def test_marks(self) -> None:
        assert disjoint(m("not distributed"), m("distributed(num_gpus=2)")) is Coverage.PROVEN
        # A test may carry the mark twice.
        assert disjoint(m("distributed(num_gpus=4)"), m("distributed(num_gpus=2)")) is Coverage.UNPROVEN


class TestMatches:
    @pytest.mark.parametrize(
        ("text", "names", "taken"),
        [
            ("eagle", ["test_Eagle3[qwen]", "spec_decode"], True),
            ("EAGLE and spec", ["test_eagle3[qwen]", "spec_decode"], True),
            ("eagle and mtp", ["test_eagle3[qwen]"], False),
            ("eagle or mtp", ["test_mtp"], True),
            ("not eagle", ["test_mtp"], True),
            ("3[q", ["test_eagle3[qwen]"], True),
            ("not x", [], True),
        ],
    )
    def test_keywords(self, text: str, names: list[str], taken: bool) -> None:
        if "[" in text:
            assert matches_keyword(Name(text=text), names) is taken
        assert matches_keyword(k(text), names) is taken

    def test_keywords_take_no_arguments(self) -> None:
        with pytest.raises(ValueError, match='expected a "-k" expression, found arguments after "f"'):
            matches_keyword(m("f(a=1)"), ["f"])

    @pytest.mark.parametrize(
        ("text", "taken"),
        [
            ("slow", True),
            ("SLOW", False),
            ("slo", False),
            ("distributed(num_gpus=2)", True),
            ("distributed(num_gpus=4, backend='ray')", True),
            ("distributed(num_gpus=2, backend='ray')", False),
            ("distributed(backend=None)", False),
            ("distributed(num_gpus='2')", False),
            ("slow(x=1)", False),
            ("gone", False),
            ("not gone and (distributed(num_gpus=8) or slow)", True),
        ],
    )
    def test_marks(self, text: str, taken: bool) -> None:
        marks: dict[str, list[dict[str, object]]] = {
            "slow": [{}],
            "distributed": [{"num_gpus": 2}, {"num_gpus": 4, "backend": "ray"}],
            "gone": [],
        }
        assert matches_marks(m(text), marks) is taken
