"""What a job runs: the authored commands, or one generated pytest call, with `setup` in front."""

from collections.abc import Mapping, Sequence

from pipegen import codes, shell
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Related
from pipegen.expand.narrowing import Narrowing
from pipegen.expand.ownership import Ownership, owner_name
from pipegen.expand.quarantine import Quarantine
from pipegen.expand.reading import Reader, texts
from pipegen.expand.testpaths import contains, relative_path, test_path, word
from pipegen.expand.variation import Variation
from pipegen.manifest.located import Items, Node, Report, Scalar
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.model import Command, TestPath, TestSettings

TITLE_LENGTH = 80
PYTEST_WORDS = ("k", "m", "ignore", "args", "separate")
SHARD_VARIABLE = "BUILDKITE_PARALLEL_JOB"


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """The shell text of a job, and the test paths that it stands for."""

    setup: tuple[Command, ...]
    commands: tuple[Command, ...]
    tests: tuple[TestPath, ...]
    also: tuple[TestPath, ...]
    ignore: tuple[TestPath, ...]
    narrowing: Narrowing
    quarantined: tuple[TestPath, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptWriter:
    """Writes the script of one job."""

    variation: Variation
    settings: TestSettings
    ownership: Ownership
    quarantine: Quarantine
    reader: Reader
    names: Mapping[str, object]

    def write(self, narrowing: Narrowing, working_dir: str, parallelism: int) -> Script:
        """The script. Words that pipegen makes are quoted; the workspace's pytest and shard words are shell text."""
        nodes = self.variation.nodes
        tests = tuple(test_path(entry, self.settings) for entry in texts(nodes.get("tests")))
        also = tuple(test_path(entry, self.settings) for entry in texts(nodes.get("also")))
        ignore = tuple(test_path(entry, self.settings) for entry in texts(nodes.get("ignore")))
        setup = self._authored(nodes.get("setup"))
        quarantined: tuple[TestPath, ...] = ()
        if "commands" in nodes:
            self._check_authored(parallelism)
            commands = self._authored(nodes["commands"])
            if isinstance(nodes["commands"], Items) and not nodes["commands"].items and "plugins" not in nodes:
                self.report.add(
                    codes.RUNS_NOTHING,
                    nodes["commands"].span,
                    "commands is an empty list, and no plugin brings any",
                    hint="write commands, or null to run the tests",
                )
        elif tests or also:
            self._check_place(working_dir)
            shards = self._shard_words(parallelism)
            commands, quarantined = self._generated(tests, also, narrowing, working_dir, shards)
        elif self.variation.doubtful & {"commands", "also"}:
            commands = ()
        else:
            commands = ()
            lacks = f"{self.variation.called} has neither tests nor commands"
            self.report.add(codes.RUNS_NOTHING, self.variation.place, lacks, hint="add tests: or commands:")
        return Script(
            setup=setup,
            commands=(*setup, *commands),
            tests=tests,
            also=also,
            ignore=ignore,
            narrowing=narrowing,
            quarantined=quarantined,
        )

    @property
    def report(self) -> Report:
        """Where mistakes go."""
        return self.reader.report

    def _authored(self, node: Node | None) -> tuple[Command, ...]:
        items = node.items if isinstance(node, Items) else () if node is None else (node,)
        commands = [self._command(item) for item in items]
        return tuple(command for command in commands if command is not None)

    def _command(self, node: Node) -> Command | None:
        run = node.get("run") if isinstance(node, MappingNode) else node
        title = node.get("title") if isinstance(node, MappingNode) else None
        if not isinstance(run, Scalar):
            return None
        text = self.reader.text(run, self.names)
        shown = run.text[:TITLE_LENGTH] if not isinstance(title, Scalar) else self.reader.text(title, self.names)
        return None if text is None or shown is None else Command(run=text, title=shown)

    def _check_authored(self, parallelism: int) -> None:
        """Commands have full control: words of the generated call beside them would be ignored, so they are refused."""
        nodes = self.variation.nodes
        for name in PYTEST_WORDS:
            if name in nodes:
                self.report.add(
                    codes.CONTRADICTION,
                    nodes[name].span,
                    f'"{name}" narrows the generated pytest call, and this step has commands',
                    hint=f"write it into the commands, or remove it with {name}: null",
                    related=(Related(span=nodes["commands"].span, note="the commands"),),
                )
        if self.variation.part is not None:
            self.report.add(
                codes.CONTRADICTION,
                nodes["parts"].span if "parts" in nodes else self.variation.part.place,
                "parts narrow the generated pytest call, and this step has commands",
                hint="remove the parts (parts: null), or the commands",
                related=(Related(span=nodes["commands"].span, note="the commands"),),
            )
        if parallelism > 1 and SHARD_VARIABLE not in " ".join(self._runs()):
            self.report.add(
                codes.NO_SHARD_ARGUMENTS,
                nodes.get("parallelism", nodes["commands"]).span,
                f"parallelism is {parallelism} and the commands never mention {SHARD_VARIABLE}",
                hint=f"pass ${SHARD_VARIABLE} on to the test runner: every job would run all tests",
            )

    def _runs(self) -> list[str]:
        node = self.variation.nodes["commands"]
        return [command.run for command in self._authored(node)]

    def _shard_words(self, parallelism: int) -> tuple[str, ...]:
        if parallelism < 2:
            return ()
        words = self.settings.shard_words(self.variation.lane)
        if not words and "shards" not in self.settings.faulty:
            nodes = self.variation.nodes
            self.report.add(
                codes.NO_SHARD_ARGUMENTS,
                nodes["parallelism"].span if "parallelism" in nodes else self.variation.step.span,
                f"parallelism is {parallelism} and lane {self.variation.lane} has no shard words",
                hint="add them under tests: shards: in the workspace file: every job would run all tests",
            )
        return words

    def _generated(
        self,
        tests: Sequence[TestPath],
        also: Sequence[TestPath],
        narrowing: Narrowing,
        working_dir: str,
        shards: Sequence[str],
    ) -> tuple[tuple[Command, ...], tuple[TestPath, ...]]:
        """The calls, and the tests in quarantine that they leave out."""
        separate = self.reader.read(self.variation.nodes, "separate", self.names) is True
        nested = self._nested(tests, also)
        once: dict[str, TestPath] = {}
        for entry in (*tests, *also):
            once.setdefault(entry.path.rstrip("/"), entry)
        elsewhere = [*(inner for _, inner in nested), *self._ignore_entries()]
        kept = self.quarantine.leave(self.variation, tuple(once.values()), elsewhere, self.report)
        given = kept.entries
        groups = [(entry,) for entry in given] if separate else [self._together(given, nested)]
        commands = []
        for entries in groups:
            words = list(self.settings.pytest)
            words += [word(entry.path, self.settings, working_dir) for entry in entries]
            words += _option("-k", narrowing.k) + _option("-m", narrowing.m)
            left_out = [inner for outer, inner in nested if outer in entries]
            left_out += [inner for inner in kept.left_out if any(contains(entry, inner) for entry in entries)]
            left_out += _calls_of_their_own(entries, given, left_out) if separate else []
            options = [self._ignore_option(inner, working_dir) for inner in left_out]
            words += dict.fromkeys((*self._ignored(working_dir), *options))
            words += self._args()
            words += shards
            call = " ".join(words)
            commands.append(Command(run=call, title=call[:TITLE_LENGTH]))
        return tuple(commands), kept.quarantined

    def _check_place(self, working_dir: str) -> None:
        if not working_dir.startswith("/") or self.settings.checkout.startswith("/"):
            return
        if "checkout" in self.settings.faulty:
            return  # it was meant to be another
        node = self.variation.nodes.get("working_dir")
        self.report.add(
            codes.CONTRADICTION,
            self.variation.step.span if node is None else node.span,
            f'working_dir "{working_dir}" is a path of the machine, and the checkout "{self.settings.checkout}" is '
            "not: where the tests lie from there is not known",
            hint="write a working_dir from the checkout, or the checkout as a path of the machine",
        )

    def _together(
        self, entries: Sequence[TestPath], nested: Sequence[tuple[TestPath, TestPath]]
    ) -> tuple[TestPath, ...]:
        """The entries of one call. What lies inside another is left to that one.

        pytest before 9 given `a/ a/b/` runs `a/b/` alone, and since 9 `a/` alone. Where `a/` has to leave out what
        `a/b/` lies in, one call therefore runs too much or too little.
        """
        ignored = self._ignore_entries()
        kept = []
        for entry in entries:
            outer = next((other for other in entries if other is not entry and contains(other, entry)), None)
            if outer is None:
                kept.append(entry)
                continue
            left_out = [*(inner for around, inner in nested if contains(around, entry)), *ignored]
            lost = next((path for path in left_out if path.file == entry.file or contains(path, entry)), None)
            if lost is not None and "::" not in lost.path:
                self.report.add(
                    codes.CANNOT_EXCLUDE,
                    entry.span,
                    f'"{entry.written}" lies inside "{outer.written}", which has to leave out "{lost.written}": one '
                    "pytest call cannot do both",
                    hint="add separate: true, for a call of each entry",
                    related=(Related(span=lost.span, note="left out here"),),
                )
        return tuple(kept)

    def _args(self) -> list[str]:
        read = self.reader.read(self.variation.nodes, "args", self.names)
        return [shell.quote(str(value)) for value in read] if isinstance(read, tuple) else []

    def _ignored(self, working_dir: str) -> list[str]:
        """The authored `ignore` entries as pytest's options."""
        return [self._ignore_option(path, working_dir) for path in self._ignore_entries()]

    def _ignore_entries(self) -> list[TestPath]:
        return [test_path(entry, self.settings) for entry in texts(self.variation.nodes.get("ignore"))]

    def _ignore_option(self, path: TestPath, working_dir: str) -> str:
        """What tells pytest to leave a path out: a glob and a node id have options of their own.

        pytest's `*` in --ignore-glob crosses `/`, unlike the shell's, so that a directory whose name begins like the
        glob would be left out as a whole; the ledger of collected files shows that. What --deselect compares begins
        at pytest's root directory, the repository's top, wherever the job stands.
        """
        if "::" in path.path:
            return f"--deselect={shell.quote(path.path)}"
        written = relative_path(path.path.rstrip("/"), self.settings, working_dir)
        if path.is_glob:
            return f"--ignore-glob={shell.quote(written.replace('[^', '[!'))}"
        return f"--ignore={shell.quote(written)}"

    def _nested(self, tests: Sequence[TestPath], also: Sequence[TestPath]) -> list[tuple[TestPath, TestPath]]:
        """What the call must leave out because other areas own it, and the entry that each lies in."""
        found = []
        area = owner_name(self.variation.step)
        for outer, claim in self.ownership.nested(area, self.variation.lane, tests, also):
            inner = claim.test
            if outer.is_glob or "::" in inner.path:
                what = "a node id" if "::" in inner.path else "a glob"
                self.report.add(
                    codes.CANNOT_EXCLUDE,
                    inner.span,
                    f'"{inner.written}" of "{claim.area}" lies inside "{outer.written}" of "{area}" on lane '
                    f"{claim.lane}, and pytest cannot leave out exactly that: {what} is in play",
                    hint="let areas own whole files or directories inside one another, or run it with also:",
                    related=(Related(span=outer.span, note=f'"{area}" runs it here'),),
                )
            else:
                found.append((outer, inner))
        return found


def _calls_of_their_own(
    entries: Sequence[TestPath], others: Sequence[TestPath], left_out: Sequence[TestPath]
) -> list[TestPath]:
    """The other entries that lie inside those of a call, so that their tests run in their own calls alone.

    pytest cannot be told exactly to leave out a glob or a node id: those run in both.
    """
    return [
        other
        for other in others
        if not other.is_glob
        and "::" not in other.path
        and any(contains(entry, other) for entry in entries)
        and not any(contains(path, other) for path in left_out)
    ]


def _option(name: str, text: str | None) -> list[str]:
    """A pytest option with its expression; one that begins with a dash would be taken for an option itself."""
    if text is None:
        return []
    return [shell.quote(f"{name}={text}")] if text.startswith("-") else [name, shell.quote(text)]
