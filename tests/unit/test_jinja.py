"""Strangers' expressions and templates: what they may say, what they cannot reach, and what they may cost."""

import time
from collections.abc import Mapping

import pytest

from pipegen.dollar import UPLOAD_CLOSE, UPLOAD_OPEN
from pipegen.jinja import (
    MAX_OUTPUT,
    MAX_RANGE,
    MAX_STEPS,
    Expressions,
    Facts,
    JinjaError,
    Names,
    Templates,
    Upload,
    k8s_escape,
    references,
    to_json,
)
from pipegen.plain import Plain

NAMES: Mapping[str, object] = {
    "build": Names("build", {"branch": "main", "number": "7"}),
    "vars": Names("vars", {"REPOSITORY": "release", "EMPTY": ""}),
    "env": Names("env", {}, unknown="declare it"),
    "hardware": Names("hardware", {"title": "L4", "facts": Facts("hardware.facts", {"volumes": ["/a", "/b"]})}),
    "upload": Upload(),
    "title": "Engine",
}


def evaluate(text: str) -> str:
    return Expressions().evaluate(text, NAMES)


def render(source: str, **files: str) -> str:
    return Templates({"main": source, **files}).render("main", NAMES)


def error_of(text: str) -> JinjaError:
    with pytest.raises(JinjaError) as caught:
        evaluate(text)
    return caught.value


def error_in(source: str, **files: str) -> JinjaError:
    with pytest.raises(JinjaError) as caught:
        render(source, **files)
    return caught.value


class TestExpressions:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("no expression", "no expression"),
            ("{{ title }}", "Engine"),
            ("a {{ title }} b {{ build.branch }}", "a Engine b main"),
            ("{{ 'yes' if build.branch == 'main' else 'no' }}", "yes"),
            ("{{ vars.EMPTY or 'nothing' }}", "nothing"),
            ("{{ build['branch'] | upper }}", "MAIN"),
            ("{{ hardware.facts.volumes | join(',') }}", "/a,/b"),
            ("{{ title ~ '-' ~ 1 }}", "Engine-1"),
            ("{{ 2 + 2 }}{{ 7 // 2 }}{{ 2 ** 10 }}", "431024"),
            ("{{ build.branch.startswith('m') }}", "True"),
            ("{{ '{{' }} {{ '}}' }}", "{{ }}"),
            ("{{ title }}\n", "Engine\n"),
            ("{{ title }}\r\nx\r", "Engine\r\nx\r"),
        ],
    )
    def test_values(self, text: str, expected: str) -> None:
        assert evaluate(text) == expected

    @pytest.mark.parametrize(
        "text",
        [
            "${#A[@]}",
            "{% if x %}",
            "{# no comment #}",
            "# no line comment",
            "a %} b #} c }} d",
            "${A:-{}}",
            "{{matrix}}",
            "{{ matrix.os }}",
            "x {{matrix.a-b}} y",
        ],
    )
    def test_the_text_of_shells_and_of_buildkite_is_left_alone(self, text: str) -> None:
        assert evaluate(text) == text
        assert evaluate(text + "{{ title }}") == text + "Engine"

    def test_what_an_expression_gives_is_not_evaluated_again(self) -> None:
        assert Expressions().evaluate("{{ x }}", {"x": "{{ title }}"}) == "{{ title }}"

    def test_a_value_of_the_upload(self) -> None:
        assert evaluate("{{ upload.BUILDKITE_COMMIT }}") == f"{UPLOAD_OPEN}BUILDKITE_COMMIT{UPLOAD_CLOSE}"

    def test_texts_are_compiled_once(self) -> None:
        expressions = Expressions()
        results = {expressions.evaluate("{{ x }}", {"x": number}) for number in range(50)}
        assert len(results) == 50

    @pytest.mark.parametrize(
        ("text", "message", "hint"),
        [
            ("{{ tilte }}", '"tilte" is not defined', 'did you mean "title"?'),
            ("{{ nothing_like_it }}", '"nothing_like_it" is not defined', "expected one of"),
            ("{{ build.brnch }}", '"build.brnch" is not defined', 'did you mean "build.branch"?'),
            ("{{ build['brnch'] }}", '"build.brnch" is not defined', 'did you mean "build.branch"?'),
            ("{{ vars.xyz }}", '"vars.xyz" is not defined', 'vars has "REPOSITORY" and "EMPTY"'),
            ("{{ env.HOME }}", '"env.HOME" is not defined', "declare it"),
            ("{{ hardware.facts.nothing }}", '"hardware.facts.nothing" is not defined', ""),
            ("{{ upload['1X'] }}", '"upload.1X" is no variable that the agent can fill in', "expected a letter"),
            ("{{ title | uper }}", 'no filter is called "uper"', 'did you mean "upper"?'),
            ("{{ title is uper }}", 'no test is called "uper"', ""),
            ("{{ title", "an expression has no end", "close it with }}"),
            ("{{ }}", "expected an expression, found the end of the expression", "a literal {{"),
            ("{{ a b }}", 'expected the end of the expression, found "b"', "a literal {{"),
            ("{{ 1 = 2 }}", 'expected the end of the expression, found "="', "a literal {{"),
            ("{{ 'a' * 2 }}", '"*" is for numbers', "join text with ~"),
            ("{{ '%s' % 1 }}", '"%" is for numbers', "join text with ~"),
            ("{{ 1 / 0 }}", "division by zero", ""),
            ("{{ build }}", '"build" is a group of names', "write build.NAME"),
            ("{{ none }}", "it gives none, which is no text", "say what stands there instead"),
            ("{{ range }}", "it gives a function, which is no text", "end it with"),
            ("{{ [1] | map('string') }}", "it gives a generator, which is no text", "end it with"),
        ],
    )
    def test_mistakes(self, text: str, message: str, hint: str) -> None:
        error = error_of(text)
        assert str(error).startswith(message)
        assert error.hint.startswith(hint)
        assert (error.hint == "") == (hint == "")
        assert "\n" not in str(error)


class TestTemplates:
    def test_blocks_and_files(self) -> None:
        main = "{% from 'lib' import f %}\n{# comment #}\n{% for n in range(2) %}\n{{ f(n, title) }}\n{% endfor %}\n"
        assert render(main, lib="{% macro f(n, x) -%} <{{ n }}{{ x }}> {%- endmacro %}\n") == "<0Engine>\n<1Engine>\n"

    def test_an_if_without_else_gives_nothing(self) -> None:
        assert render("a{{ title if false }}b") == "ab"

    def test_methods_in_loops(self) -> None:
        assert render("{% for x in ['a-b', 'c'] %}{{ x.replace('-', '_') }} {% endfor %}") == "a_b c "

    @pytest.mark.parametrize(
        ("source", "files", "message", "template", "line"),
        [
            ("a\n{{ tilte }}\n", {}, '"tilte" is not defined', "main", 2),
            ("a\n\n{% for x in y %}\n", {}, 'a "for" is never closed', "main", 3),
            ("{% include 'lib' %}", {"lib": "a\nb\n{{ build.x }}"}, '"build.x" is not defined', "lib", 3),
            ("{% include 'lib' %}", {"lib": "a\n{{ b c }}"}, "expected the end of the expression", "lib", 2),
            ("a\n{% include 'lob' %}", {"lib": ""}, 'there is no file "lob" among the templates', "main", 2),
            ("a\n{% if x %}{% endfor %}", {}, 'a "if" is never closed', "main", 2),
            ("{% macro f() %}{{ f() }}{% endmacro %}\n{{ f() }}", {}, "it calls itself without end", "main", 1),
            ("{% include 'main' %}", {}, "it calls itself without end", "main", 1),
        ],
    )
    def test_mistakes(self, source: str, files: Mapping[str, str], message: str, template: str, line: int) -> None:
        error = error_in(source, **files)
        assert str(error).startswith(message)
        assert (error.template, error.line) == (template, line)

    def test_a_file_that_is_not_there_has_a_suggestion(self) -> None:
        assert error_in("{% include 'shel.j2' %}", **{"shell.j2": ""}).hint == 'did you mean "shell.j2"?'
        with pytest.raises(JinjaError, match='there is no file "nowhere"'):
            Templates({}).render("nowhere", NAMES)

    @pytest.mark.parametrize("name", ["../main", "/etc/passwd", "./main", ""])
    def test_only_the_folder_is_reached(self, name: str) -> None:
        assert "there is no file" in str(error_in("{% include x %}".replace("x", repr(name))))

    def test_references(self) -> None:
        assert references("{% include 'a' %}{% from 'b' import c %}{% extends 'd' %}") == frozenset("abd")
        assert references("{% include x %}") is None
        assert references("{% if %}") is None
        assert references("text") == frozenset()


class TestSandbox:
    """Nothing of Python, of the process or of the machine can be reached."""

    ESCAPES = (
        "{{ ''.__class__ }}",
        "{{ ''['__class__'] }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ build.__class__ }}",
        "{{ build.what }}",
        "{{ build._values }}",
        "{{ build['_values'] }}",
        "{{ build.get('branch') }}",
        "{{ build.items() }}",
        "{{ upload.__class__ }}",
        "{{ hardware.facts.__class__ }}",
        "{{ range.__self__ }}",
        "{{ pipegen_step.__self__ }}",
        "{{ pipegen_step.__func__.__globals__ }}",
        "{{ namespace.__init__.__globals__ }}",
        "{{ namespace.mro() }}",
        "{{ self }}",
        "{{ self.__dict__ }}",
        "{{ (1).__class__ }}",
        "{{ [].append(1) }}",
        "{{ {}.update({}) }}",
        "{{ {}.setdefault(1, 2) }}",
        "{{ {'a': 1}.pop('a') }}",
        "{{ '{0.__class__}'.format(1) }}",
        "{{ '{}'.format_map({}) }}",
        "{{ 'a'.join(['b']) }}",
        "{{ 'a'.encode() }}",
        "{{ 'a'.ljust(99) }}",
        "{{ 'a'.zfill(99) }}",
        "{{ 'a'.expandtabs(99) }}",
        "{{ 'a'.translate({}) }}",
        "{{ 'a' | attr('__class__') }}",
        "{{ 'a' | format(1) }}",
        "{{ 'a' | xmlattr }}",
        "{{ 'a' | pprint }}",
        "{{ 'a' | center(99) }}",
        "{{ 'a' | indent(99) }}",
        "{{ 'a' | wordwrap(1) }}",
        "{{ [1] | batch(2) | list }}",
        "{{ [1] | groupby('x') }}",
        "{{ [1] | random }}",
        "{{ 'a' | filesizeformat }}",
        "{{ lipsum() }}",
        "{{ cycler(1) }}",
        "{{ joiner() }}",
        "{{ dict() }}",
        "{{ config }}",
        "{{ open('/etc/passwd') }}",
        "{{ 'a' | string | map('attr', '__class__') | list }}",
        "{{ [''] | map(attribute='__class__') | list | string }}",
        "{{ [''] | map('upper') | map(attribute='__class__') | first }}",
        "{{ [''] | sort(attribute='__class__.__mro__') }}",
        "{{ [1] | sum(attribute='__class__') }}",
        "{{ [''] | selectattr('__class__') | list | length == 1 and x }}",
        "{{ [''] | join(attribute='__class__') }}",
        "{{ ['', ''] | min(attribute='__class__') }}",
    )

    @pytest.mark.parametrize("text", ESCAPES)
    def test_in_expressions(self, text: str) -> None:
        error = error_of(text)
        assert "object at 0x" not in str(error)

    @pytest.mark.parametrize("text", ESCAPES)
    def test_in_templates(self, text: str) -> None:
        error_in(text)

    @pytest.mark.parametrize(
        "source",
        [
            "{% set x = build %}{{ x.__init__ }}",
            "{% macro f() %}{% endmacro %}{{ f._func }}",
            "{% macro f() %}{% endmacro %}{{ f.__class__ }}",
            "{% for x in [1] %}{{ loop._iterator }}{% endfor %}",
            "{% for x in [1] %}{{ loop }}{% endfor %}",
            "{% set ns = namespace(a=1) %}{{ ns }}",
            "{% set ns = namespace(a=1) %}{{ ns._Namespace__attrs }}",
            "{% import 'lib' as lib %}{{ lib._body_stream }}",
            "{% import 'lib' as lib %}{{ lib.__dict__ }}",
            "{% block b %}{% endblock %}{{ self.b.__globals__ }}",
            "{% do [].append(1) %}",
            "{% debug %}",
            "{% set l = [] %}{% set _ = l.append(1) %}",
        ],
    )
    def test_in_blocks(self, source: str) -> None:
        error_in(source, lib="{% macro m() %}{% endmacro %}")

    def test_no_output_depends_on_the_process(self) -> None:
        """What prints an address would differ from run to run."""
        for text in (
            "{{ range }}",
            "{{ namespace }}",
            "{{ build }}",
            "{{ [1] | map('string') }}",
            "{{ pipegen_step }}",
        ):
            error_of(text)


def quickly(source: str, **files: str) -> JinjaError:
    """The error of a template that would take for ever, or all memory, if nobody counted."""
    start = time.perf_counter()
    error = error_in(source, **files)
    assert time.perf_counter() - start < 20
    return error


def doubling(start: str, turn: str, end: str = "") -> str:
    """A template that would make 2 to the power of 99 of `start`."""
    return "{% set ns = namespace(x=" + start + ") %}{% for i in range(99) %}" + turn + "{% endfor %}" + end


class TestBudgets:
    """With small limits, because what is counted is the same."""

    STEPS = "it takes more than 2,000 steps"
    OUTPUT = "it produces more than 10,000 characters"

    @pytest.fixture(autouse=True)
    def _small(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("pipegen.jinja.sandbox.MAX_STEPS", 2_000)
        monkeypatch.setattr("pipegen.jinja.filters.MAX_OUTPUT", 10_000)

    @pytest.mark.parametrize(
        "source",
        [
            "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}",
            "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(64) }}",
            "{% for x in range(9999) recursive %}{{ loop([x, x]) if x is number }}{% endfor %}",
        ],
        ids=["loops", "macros", "recursive loops"],
    )
    def test_steps(self, source: str) -> None:
        assert str(quickly(source)) in (self.STEPS, "it calls itself without end")

    GROWING = (
        doubling("'x'", "{% set ns.x = ns.x ~ ns.x %}"),
        doubling("'x'", "{% set ns.x = ns.x + ns.x %}"),
        doubling("['x']", "{% set ns.x = ns.x + ns.x %}"),
        doubling("'x'", "{% set ns.x %}{{ ns.x }}{{ ns.x }}{% endset %}"),
        doubling("'xx'", "{% set ns.x = ns.x | replace('x', ns.x) %}"),
        doubling("'xx'", "{% set ns.x = ns.x.replace('x', ns.x) %}"),
        doubling("'xx'", "{% set ns.x = [ns.x, ns.x] | join(ns.x) %}"),
        doubling("[1]", "{% set ns.x = [ns.x, ns.x] %}", "{{ ns.x }}"),
        doubling("[1]", "{% set ns.x = [ns.x, ns.x] %}", "{{ ns.x | tojson }}"),
        doubling("[1]", "{% set ns.x = [ns.x, ns.x] %}", "{{ ns.x | string }}"),
        doubling("[1]", "{% set ns.x = [ns.x, ns.x] %}", "{{ ns.x ~ '' }}"),
        doubling("[1]", "{% set ns.x = [ns.x, ns.x] %}", "{{ [ns.x] | join }}"),
        doubling("'$$'", "{% set ns.x = ns.x | k8s_escape %}"),
        doubling('"\'"', "{% set ns.x = ns.x | sh_quote %}"),
        doubling("'\"'", "{% set ns.x = ns.x | tojson %}"),
        "{% for i in range(9999) %}{{ range(9999) | list | tojson }}{% endfor %}",
    )

    @pytest.mark.parametrize("source", GROWING, ids=[str(number) for number in range(len(GROWING))])
    def test_output(self, source: str) -> None:
        assert str(quickly(source)) == self.OUTPUT

    def test_filters_in_expressions(self) -> None:
        many = "{{ '" + "x" * 1_000 + "' | replace('x', '" + "y" * 1_000 + "') }}"
        assert str(error_of(many)) == self.OUTPUT
        assert str(error_of("{{ range(99) | join('" + "y" * 1_000 + "') }}")) == self.OUTPUT

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (f"{{{{ range({MAX_RANGE + 1}) | list | length }}}}", "range() gives more than 10,000 numbers"),
            ("{{ range(10 ** 60) | length }}", "range() gives more than 10,000 numbers"),
            ("{{ 9 ** 9 ** 9 }}", '"**" is for small numbers'),
            ("{{ 2 ** 99999 }}", '"**" is for small numbers'),
            ("{{ [[1]] | sum(start=[]) }}", "sum is for numbers"),
            ("{{ 1.5 ** 64 ** 64 }}", '"**" is for small numbers'),
        ],
    )
    def test_numbers(self, text: str, message: str) -> None:
        assert str(error_of(text)).startswith(message)

    def test_numbers_that_grow(self) -> None:
        source = "{% set ns = namespace(x=3) %}{% for i in range(9999) %}{% set ns.x = ns.x * ns.x %}{% endfor %}"
        assert str(quickly(source)) == "a number grows without end"

    def test_each_rendering_has_its_own(self) -> None:
        templates = Templates({"main": "{% for a in range(1_999) %}{% endfor %}"})
        for _ in range(3):
            assert templates.render("main", {}) == ""

    def test_just_below_the_limit(self) -> None:
        assert len(evaluate("{{ '" + "x" * 9_999 + "' }}y")) == 10_000
        assert str(error_of("{{ '" + "x" * 10_000 + "' }}y")) == self.OUTPUT

    @pytest.mark.parametrize("text", ["{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", "{{ " + "-" * 5000 + "1 }}"])
    def test_depth(self, text: str) -> None:
        error_of(text)


def test_the_real_budgets() -> None:
    loops = ("{% for a in range(" + str(MAX_RANGE) + ") %}{% endfor %}") * (MAX_STEPS // MAX_RANGE)
    assert render(loops) == ""
    assert str(error_in(loops + "{% for a in [1] %}{% endfor %}")) == f"it takes more than {MAX_STEPS:,} steps"
    assert len(evaluate("{{ '" + "x" * MAX_OUTPUT + "' }}")) == MAX_OUTPUT
    assert str(error_of("{{ '" + "x" * MAX_OUTPUT + "' }}y")) == f"it produces more than {MAX_OUTPUT:,} characters"


class TestFilters:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            ("a", '"a"'),
            ('a"b\\c\n', '"a\\"b\\\\c\\n"'),
            ("é🚀", '"é🚀"'),
            ("\x7f\x85\u2028\ufeff\uffff", '"\\u007f\\u0085\\u2028\\ufeff\\uffff"'),
            ([1, 2.5, True, None], "[1, 2.5, true, null]"),
            (("a",), '["a"]'),
            ({"a": {"b": []}}, '{"a": {"b": []}}'),
        ],
    )
    def test_tojson(self, value: Plain, text: str) -> None:
        assert to_json(value) == text
        assert Templates({"main": "{{ x | tojson }}"}).render("main", {"x": value}) == text

    def test_tojson_of_what_is_no_data(self) -> None:
        assert str(error_of("{{ range | tojson }}")) == "tojson cannot write a function"
        assert str(error_of("{{ [1] | map('string') | tojson }}")).startswith("tojson cannot write a generator")
        assert str(error_of("{{ [nothing] | tojson }}")) == '"nothing" is not defined'

    @pytest.mark.parametrize(
        ("text", "escaped"),
        [
            ("$HOME", "$HOME"),
            ("$(HOME)", "$$(HOME)"),
            ("$$", "$$$$"),
            ("$$(A)", "$$$$(A)"),
            ("a$", "a$"),
            ("$ (", "$ ("),
        ],
    )
    def test_k8s_escape(self, text: str, escaped: str) -> None:
        assert k8s_escape(text) == escaped

    def test_shell_words(self) -> None:
        assert evaluate("{{ '$a' | sh_quote }}") == "'$a'"
        assert evaluate("{{ ['$a', 'c', 1] | sh_join }}") == "'$a' c 1"

    def test_join_by_an_attribute(self) -> None:
        source = "{{ x | join(', ', attribute='run') }}"
        assert Templates({"main": source}).render("main", {"x": [{"run": "a"}, {"run": "b"}]}) == "a, b"


class TestNames:
    def test_facts_may_be_asked_for(self) -> None:
        assert evaluate("{{ 'yes' if hardware.facts.volumes is defined else 'no' }}") == "yes"
        assert evaluate("{{ 'yes' if hardware.facts.gpus is defined else 'no' }}") == "no"
        assert evaluate("{{ hardware.facts.gpus | default('none') }}") == "none"

    def test_names_may_be_listed(self) -> None:
        assert evaluate("{{ 'branch' in build }}") == "True"
        assert evaluate("{{ build | list | join(',') }}") == "branch,number"
        assert evaluate("{{ build | length }}") == "2"

    def test_where_their_declaration_is_broken_any_name_will_do(self) -> None:
        names = Names("vars", {"A": "a"}, uncertain=True)
        assert Expressions().evaluate("{{ vars.A }}{{ vars.B }}", {"vars": names}) == "a"
