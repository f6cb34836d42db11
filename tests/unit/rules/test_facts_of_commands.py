"""What is gathered of each job's commands, and where in a manifest something that they say was typed."""

from pipegen.commands import Named
from pipegen.diagnostics import Span
from pipegen.rules.facts import Facts, JobFacts
from pipegen.rules.places import span_of, typed
from tests.support.rules import BASE, Case, facts_of

HEAD = "group: V1\nowner: core\nhardware: l4\ntimeout_in_minutes: 30\n\nareas:\n  v1/a:\n    tests: [v1/]\n"
LINES = len(HEAD.split("\n"))


def facts(step: str, *, tests: str = "", files: tuple[str, ...] = (), contents: dict[str, str] | None = None) -> Facts:
    """The facts of one area more, with these further lines."""
    more = {f"tests/{path}": b"" for path in ("v1/test_a.py", "v1/test_b.py", *files)}
    written = {path: text.encode() for path, text in (contents or {}).items()}
    workspace = BASE[".buildkite/pipegen.yaml"] + (f"tests: {{{tests}}}\n" if tests else "").encode()
    manifest = (HEAD + step).encode()
    return facts_of(
        Case(files={**BASE, **more, **written, ".buildkite/pipegen.yaml": workspace, "areas/v1.yaml": manifest})
    )


def job(found: Facts) -> JobFacts:
    return next(one for one in found.jobs if one.job.key == "v1-a")


def place(step: str, *, contents: dict[str, str] | None = None) -> tuple[Span, Span | None]:
    """Where the first path of the last run stands, and where just its characters do."""
    found = job(facts(step, contents=contents))
    target = found.runs[-1].run.targets[0]
    assert isinstance(target, Named)
    return span_of(found.job, target.place, target.written), typed(found.job, target.place, target.written)


class TestPlaces:
    def test_a_word_of_a_plain_scalar(self) -> None:
        span, exact = place("    commands: [pytest tests/v1/test_a.py -x]\n")
        assert (span.line, span.column, span.end_column) == (LINES, 23, 41)
        assert exact == span

    def test_a_word_in_quotes(self) -> None:
        span, exact = place("    commands:\n      - 'pytest tests/v1/test_a.py'\n")
        assert (span.line, span.column, span.end_column) == (LINES + 1, 17, 35)
        assert exact == span

    def test_a_command_with_a_title(self) -> None:
        span, _ = place("    commands:\n      - {run: pytest tests/v1, title: T}\n")
        assert (span.line, span.column) == (LINES + 1, 22)

    def test_setup_stands_in_front(self) -> None:
        span, _ = place("    setup: [cd tests]\n    commands: [make, pytest v1/test_a.py]\n")
        assert (span.line, span.column) == (LINES + 1, 29)

    def test_what_was_not_typed_as_it_runs_is_the_whole_item(self) -> None:
        for item in (
            '"pytest \\"tests/v1\\" -x"',
            ">-\n        pytest\n        tests/v1",
            "pytest {{ 'tests' }}/v1",
        ):
            span, exact = place(f"    commands:\n      - {item}\n")
            assert (span.line, span.column) == (LINES + 1, 9), item
            assert exact is None

    def test_a_script_is_shown_where_it_is_called(self) -> None:
        span, exact = place("    commands: [bash ci/run.sh]\n", contents={"ci/run.sh": "make\npytest tests/v1\n"})
        assert (span.line, span.column) == (LINES, 16)
        assert exact is None

    def test_a_generated_call_is_shown_at_its_tests(self) -> None:
        span, exact = place("")
        assert (span.line, span.column) == (LINES - 1, 13)
        assert exact is None


class TestGathering:
    def test_what_the_environment_says_is_known(self) -> None:
        found = job(facts("    env: {WHICH: test_b.py}\n    commands: [pytest tests/v1/$WHICH]\n"))
        assert found.collected == {"tests/v1/test_b.py"}
        assert found.unread == ()

    def test_what_only_the_agent_knows_is_not(self) -> None:
        found = job(facts('    env: {WHICH: "{{ upload.WHICH }}"}\n    commands: ["pytest tests/v1/$WHICH"]\n'))
        assert [one.text for one in found.unread] == ["tests/v1/$WHICH"]
        found = job(facts('    commands: ["pytest tests/v1/{{ upload.WHICH }}"]\n'))
        assert len(found.unread) == 1

    def test_a_checkout_that_the_agent_chooses(self) -> None:
        found = job(facts("    commands: [cd tests && pytest v1/test_a.py]\n", tests="checkout: ., working_dir: ."))
        assert found.collected == {"tests/v1/test_a.py"}

    def test_a_workspaces_wrapper_and_options(self) -> None:
        tests = "wrappers: [{run: in box, carries: joined, skip: 1}], pytest_options: {valued: [--of]}"
        found = job(facts('    commands: ["in box 4 pytest --of x tests/v1"]\n', tests=tests))
        assert found.collected == {"tests/v1/test_a.py", "tests/v1/test_b.py"}
        assert found.unread == ()

    def test_setup_of_a_generated_call_only_prepares(self) -> None:
        found = job(facts("    setup: ['(cd $(mktemp -d) && ./configure --with pytest x)']\n"))
        assert found.unread == ()
        assert found.generated

    def test_what_is_called(self) -> None:
        found = job(facts("    commands: [bash ci/run.sh]\n", contents={"ci/run.sh": "pytest tests/v1/test_a.py\n"}))
        assert found.called == {"ci/run.sh"}
        assert found.collected == {"tests/v1/test_a.py"}

    def test_jobs_that_say_the_same_are_read_once(self) -> None:
        found = facts("    mirrors: {h100: {hardware: h100, gpus: 2, timeout_in_minutes: 9}}\n")
        one, other = (each for each in found.jobs if each.job.origin.area == "v1/a")
        assert one.reading is other.reading


class TestOwnership:
    def owner(self, areas: str, path: str, *files: str) -> str:
        paths = {f"tests/{name}": b"" for name in ("v1/test_a.py", "v1/sub/test_b.py", *files)}
        head = HEAD.partition("  v1/a")[0]
        found = facts_of(Case(files={**BASE, **paths, "areas/v1.yaml": (head + areas).encode()}))
        return found.ownership.on("cuda")[f"tests/{path}"].area

    def test_the_most_specific_area_owns(self) -> None:
        areas = "  wide: {tests: [v1/]}\n  narrow: {tests: [v1/sub/]}\n"
        assert self.owner(areas, "v1/test_a.py") == "wide"
        assert self.owner(areas, "v1/sub/test_b.py") == "narrow"

    def test_a_file_before_its_folder(self) -> None:
        areas = "  folder: {tests: [v1/]}\n  file: {tests: [v1/sub/test_b.py]}\n"
        assert self.owner(areas, "v1/sub/test_b.py") == "file"
        assert self.owner(areas, "v1/sub/test_c.py", "v1/sub/test_c.py") == "folder"

    def test_a_none_owns(self) -> None:
        found = facts("    mirrors: {amd: {none: no kernels for it yet}}\n")
        assert set(found.ownership.on("amd")) == {"tests/v1/test_a.py", "tests/v1/test_b.py"}
        assert {claim.runs for claim in found.ownership.claims if claim.lane == "amd"} == {False}
