"""Nothing that is accepted is ignored: for each field two ways to write it, and where the difference shows.

Attributes of a step are tried on every kind of machine of the reference fleet, through its real templates. Where the
whole pipeline (`generate --all`) does not differ, the row names the command whose output does. What nothing reads yet
is pending, with the capability that will read it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, TypeAlias

Json: TypeAlias = Mapping[str, object]

MACHINES: Final[Mapping[str, Json]] = MappingProxyType(
    {
        "docker": {"hardware": "l4"},
        "kubernetes": {"hardware": "a100"},
        "amd_native": {"hardware": "mi300"},
        "amd_docker": {"hardware": "mi250"},
        "intel_wrapper": {"hardware": {"intel_gpu": {"gpu": "1+"}}},
        "cpu_wrapper": {"hardware": "intel_cpu"},
        "plain": {"hardware": "gh200"},
        "multi_node": {
            "hardware": "l4",
            "template": "multi_node",
            "commands": ["bash first.sh"],
        },
    }
)
"""One machine of each kind, by its template."""

ON_COMMANDS: Final = frozenset({"multi_node"})
"""Machines whose jobs have commands of their own, beside which the words of the pytest call are refused."""

PIPELINE: Final = "generate --all"
GATED: Final = "generate, of a build that changes something else"
CHANGED: Final = "generate, of a build that changes src/engine/a.py"
NIGHTLY: Final = "generate, of a nightly build"
SAYS: Final = "generate, what it says"
AREAS: Final = "list areas"
JOBS: Final = "list jobs"
HARDWARE: Final = "list hardware"
EXPLAIN: Final = "explain"
TOUCHED_TEST: Final = "generate, of a build that changes a test"
EDITED: Final = "generate, of a build that changes the manifest"
CASES: Final = "the check of selection cases"
LINTED: Final = "lint"
TOGGLES: Final = "list toggles"
LATER: Final = "lint, when every end of 2027 has passed"
UPLOAD: Final = "upload --all --dry-run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Two ways to write a field of a step.

    `before` and `after` are laid over an area of each machine. `seen_in` is the command that shows the difference,
    `elsewhere` another one for some machines; `refused` are the machines that do not take the field.
    """

    after: Json
    before: Json = field(default_factory=dict)
    seen_in: str = PIPELINE
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    refused: frozenset[str] = frozenset()

    def command(self, machine: str) -> str:
        """The command that shows it on a machine."""
        return self.elsewhere.get(machine, self.seen_in)


def _call(after: Json, before: Json | None = None) -> Change:
    """A word of the generated pytest call, which jobs with commands of their own refuse."""
    return Change(after=after, before=before or {}, refused=ON_COMMANDS)


def _env(**setting: str) -> Json:
    """A toggle of the reference fleet, in the long form."""
    return {"env": {"VLLM_USE_DEEP_GEMM": {"value": "0", "because": "it hangs", "until": "2027-01-31", **setting}}}


_NONE: Final[Json] = {"none": "no kernels", "tracking": "#1", "until": "2027-01-31"}


def _retry(**rule: object) -> Json:
    return {"retry": {"automatic": [{"exit_status": 3, "limit": 1, **rule}]}}


def _matrix(*adjustments: Json) -> Json:
    setup = {"python": ["3.11", "3.13"]}
    return {"matrix": {"setup": setup, **({"adjustments": list(adjustments)} if adjustments else {})}}


_WITH: Final[Json] = {"with": {"python": "3.12"}}
_NO_GPUS: Final = frozenset({"intel_wrapper", "cpu_wrapper", "plain"})
_ONE_NODE: Final = frozenset(MACHINES) - {"multi_node"}

STEP: Final[Mapping[str, Change]] = MappingProxyType(
    {
        "title": Change(after={"title": "Other"}),
        "label": Change(after={"label": "Other"}),
        "key": Change(after={"key": "other-AREA"}),
        "owner": Change(after={"owner": "kernels"}, seen_in=AREAS),
        "sources": Change(after={"sources": ["src/other/"]}, seen_in=CHANGED),
        "tests": Change(after={"tests": ["AREA/", "AREA-more/"]}, elsewhere={"multi_node": AREAS}),
        "also": Change(after={"also": ["elsewhere/"]}, elsewhere={"multi_node": TOUCHED_TEST}),
        "k": _call({"k": "fast"}),
        "m": _call({"m": "fast"}),
        "ignore": _call({"ignore": ["AREA/test_slow.py"]}),
        "separate": _call({"tests": ["AREA/a/", "AREA/b/"], "separate": True}, {"tests": ["AREA/a/", "AREA/b/"]}),
        "setup": Change(after={"setup": ["make other"]}, before={"setup": ["make this"]}),
        "setup.run": Change(after={"setup": [{"run": "make other"}]}, before={"setup": [{"run": "make this"}]}),
        "setup.title": Change(
            after={"setup": [{"run": "make this", "title": "That"}]},
            before={"setup": [{"run": "make this", "title": "This"}]},
        ),
        "commands": Change(after={"commands": ["bash other.sh"]}),
        "commands.run": Change(
            after={"commands": [{"run": "bash that.sh"}]}, before={"commands": [{"run": "bash this.sh"}]}
        ),
        "commands.title": Change(
            after={"commands": [{"run": "bash a.sh", "title": "That"}]},
            before={"commands": [{"run": "bash a.sh", "title": "This"}]},
        ),
        "args": _call({"args": ["--durations=20"]}),
        "hardware": Change(after={"hardware": "h200", "template": "multi_node", "commands": ["true"], "nodes": None}),
        "gpus": Change(after={"gpus": 2}, refused=_NO_GPUS),
        "nodes": Change(after={"nodes": 2, "commands": ["bash first.sh", "bash second.sh"]}, refused=_ONE_NODE),
        "template": Change(after={"template": "cpu_wrapper"}, before={"template": "plain"}),
        "working_dir": Change(after={"working_dir": "/elsewhere"}),
        "env": Change(after={"env": {"MODE": "slow"}}, before={"env": {"MODE": "fast"}}),
        "env.value": Change(after=_env(value="1"), before=_env()),
        "env.because": Change(after=_env(because="it leaks"), before=_env(), seen_in=TOGGLES),
        "env.tracking": Change(after=_env(tracking="#1"), before=_env(), seen_in=TOGGLES),
        "env.until": Change(after=_env(until="2027-02-28"), before=_env(), seen_in=TOGGLES),
        "when": Change(after={"when": "nightly"}, seen_in=NIGHTLY),
        "gate": Change(after={"gate": {"label": "Other"}}, seen_in=GATED),
        "gate.key": Change(after={"gate": {"key": "other-AREA"}}, seen_in=GATED),
        "gate.label": Change(after={"gate": {"label": "Other"}}, seen_in=GATED),
        "gate.depends_on": Change(after={"gate": {"depends_on": ["elsewhere"]}}, seen_in=GATED),
        "was": Change(after={"was": ["old-AREA"]}, seen_in=EXPLAIN),
        "depends_on": Change(after={"depends_on": ["elsewhere"]}),
        "depends_on.step": Change(after={"depends_on": [{"step": "elsewhere"}]}),
        "depends_on.allow_failure": Change(
            after={"depends_on": [{"step": "elsewhere", "allow_failure": True}]},
            before={"depends_on": [{"step": "elsewhere"}]},
        ),
        "timeout_in_minutes": Change(after={"timeout_in_minutes": 45}),
        "parallelism": Change(after={"parallelism": 3}, refused=ON_COMMANDS),
        "agents": Change(after={"agents": {"region": "eu"}}),
        "allow_dependency_failure": Change(after={"allow_dependency_failure": True}),
        "artifact_paths": Change(after={"artifact_paths": ["logs/*"]}),
        "branches": Change(after={"branches": ["main"]}),
        "cache": Change(after={"cache": ".venv"}),
        "cache.paths": Change(after={"cache": {"paths": [".venv"]}}, before={"cache": {"paths": [".tox"]}}),
        "cache.size": Change(after={"cache": {"paths": "a", "size": "20g"}}, before={"cache": {"paths": "a"}}),
        "cache.name": Change(after={"cache": {"paths": "a", "name": "b"}}, before={"cache": {"paths": "a"}}),
        "cancel_on_build_failing": Change(after={"cancel_on_build_failing": True}),
        "checkout": Change(after={"checkout": {"depth": 1}}),
        "checkout.skip": Change(after={"checkout": {"skip": True}}),
        "checkout.submodules": Change(after={"checkout": {"submodules": False}}),
        "checkout.lfs": Change(after={"checkout": {"lfs": True}}),
        "checkout.depth": Change(after={"checkout": {"depth": 2}}, before={"checkout": {"depth": 1}}),
        "checkout.flags": Change(after={"checkout": {"flags": {"clone": "--verbose"}}}),
        "checkout.sparse": Change(after={"checkout": {"sparse": {"paths": ["src"]}}}),
        "checkout.sparse.paths": Change(
            after={"checkout": {"sparse": {"paths": ["src"]}}}, before={"checkout": {"sparse": {"paths": ["lib"]}}}
        ),
        "checkout.ssh_secret": Change(after={"checkout": {"ssh_secret": "KEY"}}),
        "checkout.commit_verification": Change(after={"checkout": {"commit_verification": "strict"}}),
        "concurrency": Change(
            after={"concurrency": 2, "concurrency_group": "a"}, before={"concurrency": 1, "concurrency_group": "a"}
        ),
        "concurrency_group": Change(
            after={"concurrency": 1, "concurrency_group": "b"}, before={"concurrency": 1, "concurrency_group": "a"}
        ),
        "concurrency_method": Change(
            after={"concurrency": 1, "concurrency_group": "a", "concurrency_method": "eager"},
            before={"concurrency": 1, "concurrency_group": "a"},
        ),
        "if": Change(after={"if": 'build.branch == "main"'}),
        "if_changed": Change(after={"if_changed": "src/**"}),
        "if_changed.include": Change(
            after={"if_changed": {"include": "src/**"}}, before={"if_changed": {"include": "lib/**"}}
        ),
        "if_changed.exclude": Change(
            after={"if_changed": {"include": "a", "exclude": "b"}}, before={"if_changed": {"include": "a"}}
        ),
        "image": Change(after={"image": "registry.example/ci:latest"}),
        "matrix": Change(after=_matrix()),
        "matrix.setup": Change(after={"matrix": {"setup": ["a"]}}, before={"matrix": {"setup": ["b"]}}),
        "matrix.adjustments": Change(after=_matrix({**_WITH, "skip": False}), before=_matrix()),
        "matrix.adjustments.with": Change(
            after=_matrix({**_WITH, "skip": False}), before=_matrix({"with": {"python": "3.13"}, "skip": False})
        ),
        "matrix.adjustments.skip": Change(
            after=_matrix({**_WITH, "skip": True}), before=_matrix({**_WITH, "skip": False})
        ),
        "matrix.adjustments.soft_fail": Change(
            after=_matrix({**_WITH, "soft_fail": True}), before=_matrix({**_WITH, "soft_fail": False})
        ),
        "matrix.adjustments.soft_fail.exit_status": Change(
            after=_matrix({**_WITH, "soft_fail": [{"exit_status": 2}]}),
            before=_matrix({**_WITH, "soft_fail": [{"exit_status": 1}]}),
        ),
        "notify": Change(after={"notify": [{"slack": "#ci"}]}),
        "plugins": Change(after={"plugins": [{"cache#v1.7.0": {"path": ".venv"}}]}),
        "priority": Change(after={"priority": 7}),
        "retry": Change(after={"retry": {"manual": False}}),
        "retry.automatic": Change(after=_retry()),
        "retry.automatic.exit_status": Change(after=_retry(exit_status=4), before=_retry()),
        "retry.automatic.signal": Change(after=_retry(signal="SIGKILL"), before=_retry()),
        "retry.automatic.signal_reason": Change(after=_retry(signal_reason="agent_stop"), before=_retry()),
        "retry.automatic.limit": Change(after=_retry(limit=2), before=_retry()),
        "retry.manual": Change(after={"retry": {"manual": False}}, before={"retry": {"manual": True}}),
        "retry.manual.allowed": Change(
            after={"retry": {"manual": {"allowed": False}}}, before={"retry": {"manual": {"allowed": True}}}
        ),
        "retry.manual.permit_on_passed": Change(
            after={"retry": {"manual": {"permit_on_passed": False}}},
            before={"retry": {"manual": {"permit_on_passed": True}}},
        ),
        "retry.manual.reason": Change(
            after={"retry": {"manual": {"allowed": False, "reason": "it deploys"}}},
            before={"retry": {"manual": {"allowed": False}}},
        ),
        "secrets": Change(after={"secrets": ["TOKEN"]}),
        "skip": Change(after={"skip": "waits for a fix"}),
        "soft_fail": Change(after={"soft_fail": True}),
        "soft_fail.exit_status": Change(
            after={"soft_fail": [{"exit_status": 2}]}, before={"soft_fail": [{"exit_status": 1}]}
        ),
        "parts": _call({"parts": {"fast": {"k": "fast"}, "others": {"rest": True}}}),
        "part.rest": _call(
            {"parts": {"fast": {"k": "fast"}, "others": {"rest": True}}},
            {"parts": {"fast": {"k": "fast"}, "others": {"k": "others"}}},
        ),
        "variants": Change(after={"variants": {"one": {"env": {"MODE": "1"}}, "two": {"env": {"MODE": "2"}}}}),
        "mirrors": Change(after={"mirrors": {"again": {"hardware": "dgx-spark", "timeout_in_minutes": 9}}}),
        "mirror.none": Change(after={"mirrors": {"npu": {"none": "no kernels"}}}, seen_in=AREAS),
        "mirror.tracking": Change(
            after={"mirrors": {"npu": {**_NONE, "tracking": "#2"}}}, before={"mirrors": {"npu": _NONE}}, seen_in=AREAS
        ),
        "mirror.until": Change(
            after={"mirrors": {"npu": {**_NONE, "until": "2027-02-28"}}},
            before={"mirrors": {"npu": _NONE}},
            seen_in=AREAS,
        ),
        "area.steps": Change(
            after={"steps": {"one": {"title": "One"}, "two": {"title": "Two"}}},
            before={"steps": {"one": {"title": "One"}, "two": {"title": "Three"}}},
        ),
        "step.rest": _call(
            {"steps": {"one": {"k": "fast"}, "two": {"rest": True}}},
            {"steps": {"one": {"k": "fast"}, "two": {"k": "others"}}},
        ),
    }
)
"""Fields of a step, by name."""


Edit: TypeAlias = tuple[str, str, str]
"""A file, what stands in it, and what stands there instead; nothing: at its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """Two ways to write a field of a file of the small workspace.

    What stands `at` a place of the file gives way to `before`, or to `after`; without a place they stand at its end.
    `laid` are whole files, `edits` changes that both ways share, `environment` is the build's, and `pipeline` the one
    that is made.
    """

    path: str
    after: str
    before: str = ""
    at: str = ""
    seen_in: str = PIPELINE
    laid: Mapping[str, str] = field(default_factory=dict)
    edits: tuple[Edit, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    pipeline: str | None = None


WORKSPACE: Final = ".buildkite/pipegen.yaml"
CATALOGUE: Final = ".buildkite/hardware.yaml"
MANIFEST: Final = "areas/engine.yaml"
CASE_FILE: Final = "ci/cases.yaml"
CUDA: Final = '  cuda: {label: ":nvidia: {{ title }}"}'
L4_QUEUE: Final = "queue: {1: gpu_1, 4: gpu_4}"
ENGINE: Final = "    timeout_in_minutes: 30\n"
"""The last line of the only area."""

_MORE: Final = """\
group: More
steps:
  - {key: more, title: More, hardware: cpu, timeout_in_minutes: 60, commands: [make more]}
"""
_OTHER_MACHINES: Final = """\
hardware:
  l4: {lane: cuda, queue: other, template: plain, depends_on: []}
  cpu: {lane: cpu, queue: cpu, template: plain, depends_on: []}
"""
_OTHER_TEMPLATE: Final = """\
commands: {{ (["other"] + (job.commands | map(attribute="run") | list)) | tojson }}
env: {{ job.env | tojson }}
"""
_STEPS: Final = """\
    steps:
      one: {k: fast, mirrors: {amd: {hardware: mi300, timeout_in_minutes: 30}}}
      two: {k: not fast}
"""


def _area(*lines: str) -> Edit:
    """More lines of the only area."""
    return (MANIFEST, ENGINE, ENGINE + "".join(f"    {line}\n" for line in lines))


def _reads(text: str) -> tuple[Edit]:
    """A job whose environment holds what an expression gives."""
    return (_area(f'env: {{A: "{{{{ {text} }}}}"}}'),)


def _tests(after: str, before: str = "", edits: tuple[Edit, ...] = ()) -> FileChange:
    return FileChange(path=WORKSPACE, after=f"tests: {{{after}}}", before=f"tests: {{{before}}}", edits=edits)


def _linted(after: str, before: str = "", command: str = "", laid: Mapping[str, str] | None = None) -> FileChange:
    """What the lint says of the tests of an area that runs a command, if one is given."""
    edits = (_area(f'commands: ["{command}"]'),) if command else ()
    change = _tests(f"checkout: /w, {after}", f"checkout: /w, {before}" if before else "checkout: /w", edits)
    return replace(change, seen_in=LINTED, laid=laid or {})


def _toggle(values: str = '["0", "1"]', default: str = "1", about: str = "it") -> str:
    return f'toggles: {{MODE: {{values: {values}, default: "{default}", about: {about}}}}}'


def _toggled(after: str, before: str = "") -> FileChange:
    return _workspace(after, before or _toggle(), seen_in=TOGGLES)


def _waiver(**changed: str) -> FileChange:
    """A waiver of the missing timeout of the only area, which has ended."""
    as_is = {"rule": "PG306", "at": "engine/core", "reason": "old", "owner": "core", "until": "2027-01-31"}
    before, after = (
        "waivers: [{" + ", ".join(f'{name}: "{text}"' for name, text in one.items()) + "}]"
        for one in (as_is, {**as_is, **changed})
    )
    return _workspace(after, before, seen_in=LATER, edits=((MANIFEST, ENGINE, ""),))


def _quarantine(runs: str = "schedules: nightly", seen_in: str = LATER, **changed: str) -> FileChange:
    """A test of the only area in quarantine, which has ended."""
    as_is = {"test": "engine/test_core.py", "reason": "flaky", "owner": "core", "until": "2027-01-31"}
    before, after = (
        "quarantine: [{" + ", ".join(f'{name}: "{text}"' for name, text in one.items()) + f", runs: {{{where}}}}}]"
        for one, where in ((as_is, "schedules: nightly"), ({**as_is, **changed}, runs))
    )
    return replace(_workspace(after, before, seen_in=seen_in), laid={"tests/engine/test_core.py": "def test_a(): ..."})


def _wrapper(after: str, command: str, before: str = "run: ci/in.sh") -> FileChange:
    """What the lint finds in what a script of the repository is given."""
    last = f"wrappers: [{{{before}}}]" if before else ""
    return _linted(f"wrappers: [{{run: ci/in.sh{after and ', '}{after}}}]", last, command, {"ci/in.sh": "true"})


def _workspace(after: str, before: str = "", seen_in: str = PIPELINE, edits: tuple[Edit, ...] = ()) -> FileChange:
    return FileChange(path=WORKSPACE, after=after, before=before, seen_in=seen_in, edits=edits)


def _selection(after: str, before: str = "owned_tests: true", seen_in: str = CHANGED) -> FileChange:
    return _workspace(f"selection: {{{after}}}", f"selection: {{{before}}}", seen_in)


def _switch(
    after: str, before: str, edits: tuple[Edit, ...] = (), seen_in: str = CHANGED, **environment: str
) -> FileChange:
    return FileChange(
        path=WORKSPACE,
        after=f"switches: [{{{after}}}]",
        before=f"switches: [{{{before}}}]",
        seen_in=seen_in,
        edits=edits,
        environment=environment,
    )


def _l4(after: str, before: str, at: str = "title: L4", *, seen_in: str = PIPELINE, reads: str = "") -> FileChange:
    edits = _reads(reads) if reads else ()
    return FileChange(path=CATALOGUE, at=at, before=before, after=after, seen_in=seen_in, edits=edits)


def _notify(after: str, before: str | None, seen_in: str = PIPELINE) -> FileChange:
    """Who hears of a build of the main branch, where nothing else is said."""
    return FileChange(
        path=WORKSPACE,
        after=f"notify: {{{after}}}",
        before="" if before is None else f"notify: {{{before}}}",
        seen_in=seen_in,
        environment={"BUILDKITE_BRANCH": "main"},
    )


def _cases(after: str, before: str) -> FileChange:
    return FileChange(
        path=CASE_FILE,
        after=f"cases: [{{name: it, {after}}}]",
        before=f"cases: [{{name: it, {before}}}]",
        seen_in=CASES,
        laid={CASE_FILE: ""},
        edits=((WORKSPACE, "", f"selection: {{cases: {CASE_FILE}}}\n"),),
    )


_TOUCHED: Final = "changed: src/engine/a.py"
_GATED: Final = "environment: {GO: yes}, does: gate_all"

FILES: Final[Mapping[str, FileChange]] = MappingProxyType(
    {
        "workspace.areas": FileChange(path=WORKSPACE, after="areas: [areas/, more/]", laid={"more/a.yaml": _MORE}),
        "workspace.templates": FileChange(
            path=WORKSPACE, after="templates: mine/", laid={"mine/plain.yaml.j2": _OTHER_TEMPLATE}
        ),
        "workspace.hardware": FileChange(
            path=WORKSPACE, after="hardware: more.yaml", laid={"more.yaml": _OTHER_MACHINES}
        ),
        "workspace.tests": _tests("pytest: other"),
        "workspace.tests.roots": _tests("roots: [checks/]"),
        "workspace.tests.checkout": _tests("checkout: /a, working_dir: /b", "checkout: /b, working_dir: /b"),
        "workspace.tests.working_dir": _tests("working_dir: other"),
        "workspace.tests.pytest": _tests("pytest: [pytest, -v]"),
        "workspace.tests.shards": _tests("shards: [one]", "shards: [two]", (_area("parallelism: 2"),)),
        "workspace.tests.files": _linted('files: ["check_*.py"]', laid={"tests/other/check_it.py": ""}),
        "workspace.tests.ignore": _linted('ignore: ["**/other/"]', laid={"tests/other/test_it.py": ""}),
        "workspace.tests.wrappers": _wrapper("", "ci/in.sh pytest tests/engine", before=""),
        "workspace.tests.wrappers.run": _wrapper("", "ci/in.sh pytest tests/engine", before="run: ci/on.sh"),
        "workspace.tests.wrappers.carries": _wrapper("carries: text", "ci/in.sh 'pytest tests/engine'"),
        "workspace.tests.wrappers.flags": _wrapper("flags: [--quick]", "ci/in.sh --quick pytest tests/engine"),
        "workspace.tests.wrappers.valued": _wrapper("valued: [--image]", "ci/in.sh --image x pytest tests/engine"),
        "workspace.tests.wrappers.skip": _wrapper("skip: 1", "ci/in.sh 4 pytest tests/engine"),
        "workspace.tests.wrappers.variable": _wrapper("variable: TESTS", "TESTS='pytest tests/engine' ci/in.sh true"),
        "workspace.tests.wrappers.folder": _wrapper("folder: /w/tests", "ci/in.sh pytest engine"),
        "workspace.tests.wrappers.folder_argument": _wrapper(
            "skip: 1, folder_argument: 1", "ci/in.sh /w/tests pytest engine", before="run: ci/in.sh, skip: 1"
        ),
        "workspace.tests.pytest_options": _linted(
            "pytest_options: {flags: [--all]}", command="pytest --all tests/engine"
        ),
        "workspace.tests.pytest_options.flags": _linted(
            "pytest_options: {flags: [--all]}", "pytest_options: {flags: [--most]}", "pytest --all tests/engine"
        ),
        "workspace.tests.pytest_options.valued": _linted(
            "pytest_options: {valued: [--of]}", "pytest_options: {valued: [--by]}", "pytest tests/engine --of x"
        ),
        "workspace.listing": FileChange(
            path=WORKSPACE,
            after="listing: tree.txt",
            seen_in=EXPLAIN,
            laid={"tree.txt": "tests/engine/test_core.py\n"},
        ),
        "workspace.owners": FileChange(
            path=WORKSPACE,
            at='  core: {github: "@org/core", slack: "#core"}',
            before="  core: {}",
            after="  other: {}",
            seen_in=SAYS,
        ),
        "workspace.environment": FileChange(
            path=WORKSPACE,
            at="environment: [TORCH_NIGHTLY]",
            before="environment: [TORCH_NIGHTLY]",
            after="environment: [OTHER]",
            seen_in=SAYS,
            edits=_reads("env.TORCH_NIGHTLY"),
        ),
        "workspace.variables": FileChange(
            path=WORKSPACE,
            at="variables:\n",
            before="variables:\n  A: one\n",
            after="variables:\n  A: two\n",
            edits=_reads("vars.A"),
        ),
        "workspace.selection": _selection("unselected: skip", seen_in=GATED),
        "workspace.selection.run_all": _selection("run_all: [unrelated.c]", seen_in=GATED),
        "workspace.selection.ignored": _selection("ignored: [src/]", "ignored: [lib/]"),
        "workspace.selection.owned_tests": _selection("owned_tests: false", seen_in=TOUCHED_TEST),
        "workspace.selection.edited": _selection("edited: gate", "edited: run", seen_in=EDITED),
        "workspace.selection.unselected": _selection("unselected: omit", "unselected: block", seen_in=GATED),
        "workspace.selection.cases": FileChange(
            path=WORKSPACE,
            after=f"selection: {{cases: {CASE_FILE}}}",
            seen_in=CASES,
            laid={CASE_FILE: f"cases: [{{name: it, never: [engine-core], {_TOUCHED}}}]"},
        ),
        "workspace.schedules": FileChange(
            path=WORKSPACE,
            at="  nightly: ",
            before="  nightly: ",
            after="  weekly: ",
            seen_in=SAYS,
            edits=(_area("when: nightly"),),
        ),
        "workspace.schedules.environment": FileChange(
            path=WORKSPACE,
            at='{NIGHTLY: "1"}',
            before='{NIGHTLY: "1"}',
            after='{NIGHTLY: "2"}',
            seen_in=NIGHTLY,
            edits=(_area("when: nightly"),),
        ),
        "workspace.switches": _switch(_GATED, "environment: {GO: no}, does: gate_all", GO="yes"),
        "workspace.switches.environment": _switch(_GATED, "environment: {GO: no}, does: gate_all", GO="yes"),
        "workspace.switches.label": _switch(
            "label: ready, does: gate_all", "label: other, does: gate_all", BUILDKITE_PULL_REQUEST_LABELS="ready"
        ),
        "workspace.switches.does": _switch(_GATED, "environment: {GO: yes}, does: run_all", GO="yes"),
        "workspace.switches.does.schedule": _switch(
            "environment: {GO: yes}, does: {schedule: nightly}",
            "environment: {GO: yes}, does: {schedule: weekly}",
            (_area("when: nightly"), (WORKSPACE, "schedules:\n", "schedules:\n  weekly: {}\n")),
            GO="yes",
        ),
        "workspace.switches.does.priority": _switch(
            "environment: {GO: yes}, does: {priority: 5}",
            "environment: {GO: yes}, does: {priority: 6}",
            seen_in=PIPELINE,
            GO="yes",
        ),
        "workspace.lanes": FileChange(path=WORKSPACE, at=CUDA, before="  cuda: {}", after="  cuda: {priority: 3}"),
        "workspace.limits": _workspace("limits: {jobs_per_build: 1}", seen_in=SAYS),
        "workspace.limits.jobs_per_upload": _workspace("limits: {jobs_per_upload: 3}", seen_in=SAYS),
        "workspace.limits.jobs_per_build": _workspace("limits: {jobs_per_build: 1}", seen_in=SAYS),
        "workspace.limits.timeout_in_minutes": _workspace(
            "limits: {timeout_in_minutes: 20}", "limits: {timeout_in_minutes: 21}", edits=((MANIFEST, ENGINE, ""),)
        ),
        "workspace.upload": _workspace("upload: {interpolation: true}", seen_in=UPLOAD, edits=(_area("env: {A: $B}"),)),
        "workspace.upload.interpolation": _workspace(
            "upload: {interpolation: true}",
            "upload: {interpolation: false}",
            seen_in=UPLOAD,
            edits=(_area("env: {A: $B}"),),
        ),
        "workspace.notify": _notify("slack: owners, branches: main", None),
        "workspace.notify.slack": _notify("slack: owner, branches: main", "slack: owners, branches: main", SAYS),
        "workspace.notify.schedules": _notify(
            "slack: owners, schedules: nightly", "slack: owners, branches: v1", NIGHTLY
        ),
        "workspace.notify.branches": _notify("slack: owners, branches: main", 'slack: owners, branches: "v*"'),
        "workspace.notify.if": _notify(
            "slack: owners, branches: main, if: step.outcome == 'errored'", "slack: owners, branches: main"
        ),
        "workspace.owners.slack": FileChange(
            path=WORKSPACE,
            at='"#core"',
            before='"#core"',
            after='"#other"',
            edits=((WORKSPACE, "", "notify: {slack: owners, branches: main}\n"),),
            environment={"BUILDKITE_BRANCH": "main"},
        ),
        "workspace.external_keys": _workspace(
            "external_keys: [elsewhere]",
            "external_keys: [other]",
            seen_in=SAYS,
            edits=(_area("depends_on: [elsewhere]"),),
        ),
        "workspace.toggles": _toggled(_toggle(), "toggles: {OTHER: {values: [a], default: a}}"),
        "workspace.toggles.values": _toggled(_toggle('["0", "1", "2"]')),
        "workspace.toggles.default": _toggled(_toggle(default="0")),
        "workspace.toggles.about": _toggled(_toggle(about="that")),
        "workspace.waivers": _workspace(_waiver().before, "waivers: []", LATER, ((MANIFEST, ENGINE, ""),)),
        "workspace.waivers.rule": _waiver(rule="PG307"),
        "workspace.waivers.at": _waiver(at="engine/more"),
        "workspace.waivers.reason": _waiver(reason="older"),
        "workspace.waivers.owner": _waiver(owner="kernels"),
        "workspace.waivers.tracking": _waiver(tracking="#1"),
        "workspace.waivers.until": _waiver(until="2028-01-31"),
        "workspace.quarantine": replace(_quarantine(seen_in=PIPELINE), before="quarantine: []"),
        "workspace.quarantine.test": _quarantine(seen_in=PIPELINE, test="engine/test_core.py::test_a"),
        "workspace.quarantine.reason": _quarantine(reason="flakier"),
        "workspace.quarantine.owner": _quarantine(owner="kernels"),
        "workspace.quarantine.tracking": _quarantine(tracking="#1"),
        "workspace.quarantine.until": _quarantine(until="2028-01-31"),
        "workspace.quarantine.runs": _quarantine(seen_in=PIPELINE, runs="lanes: cuda"),
        "workspace.quarantine.runs.lanes": _quarantine(seen_in=PIPELINE, runs="schedules: nightly, lanes: cuda"),
        "workspace.quarantine.runs.schedules": replace(
            _quarantine(seen_in=NIGHTLY, runs="schedules: weekly"),
            edits=((WORKSPACE, "schedules:\n", "schedules:\n  weekly: {}\n"),),
        ),
        "workspace.pipelines": FileChange(
            path=WORKSPACE,
            after="pipelines: {ci: {tests: {pytest: other}}}",
            before="pipelines: {ci: {limits: {jobs_per_upload: 400}}}",
            pipeline="ci",
        ),
        "catalogue.hardware": _l4("queue: two", "queue: one", L4_QUEUE),
        "hardware entry.title": FileChange(
            path=CATALOGUE, at="title: L4", before="title: L4", after="title: L5", edits=_reads("hardware.title")
        ),
        "hardware entry.lane": _l4("    lane: amd", "    lane: cuda", "    lane: cuda"),
        "hardware entry.queue": _l4("queue: two", "queue: one", L4_QUEUE),
        "hardware entry.gpus": _l4("queue: one\n    gpus: 2", "queue: one\n    gpus: 1", L4_QUEUE, seen_in=HARDWARE),
        "hardware entry.nodes": _l4("nodes: [1, 4]", "nodes: [1, 2]", "nodes: [1, 2]", seen_in=HARDWARE),
        "hardware entry.memory_gib": _l4("memory_gib: 48", "memory_gib: 24", reads="hardware.memory_gib"),
        "hardware entry.tags": _l4("tags: [gpu]", "tags: [gpu, mem]", "tags: [gpu, mem]", seen_in=HARDWARE),
        "hardware entry.max_timeout_in_minutes": _l4(
            "max_timeout_in_minutes: 20",
            "max_timeout_in_minutes: 120",
            "max_timeout_in_minutes: 120",
            seen_in=SAYS,
        ),
        "hardware entry.facts": _l4("facts: {colour: blue}", "facts: {colour: red}", reads="hardware.facts.colour"),
        "hardware entry.group": _l4("group: Two", "group: One"),
        "lane.group": FileChange(path=WORKSPACE, at=CUDA, before="  cuda: {group: One}", after="  cuda: {group: Two}"),
        "lane.required": FileChange(
            path=WORKSPACE,
            at="  amd: {}",
            before="  amd: {required: false}",
            after="  amd: {required: true}",
            seen_in=SAYS,
            edits=((MANIFEST, ENGINE, ENGINE + _STEPS),),
        ),
        "manifest.group": FileChange(path=MANIFEST, at="group: Engine", before="group: One", after="group: Two"),
        "manifest.order": FileChange(
            path=MANIFEST, before="order: 1", after="order: -1", edits=((MANIFEST, "group: Engine", "group: Zoo"),)
        ),
        "manifest.areas": FileChange(path=MANIFEST, at="  engine/core:", before="  engine/a:", after="  engine/b:"),
        "manifest.steps": FileChange(
            path=MANIFEST,
            after="steps: [{key: docs, title: Docs, hardware: cpu, timeout_in_minutes: 5, commands: [make docs]}]",
        ),
        "cases.cases": _cases(f"never: [engine-core], {_TOUCHED}", f"at_least: [engine-core], {_TOUCHED}"),
        "cases.cases.name": FileChange(
            path=CASE_FILE,
            after=f"cases: [{{name: one, never: [engine-core], {_TOUCHED}}}]",
            before=f"cases: [{{name: two, never: [engine-core], {_TOUCHED}}}]",
            seen_in=CASES,
            laid={CASE_FILE: ""},
            edits=((WORKSPACE, "", f"selection: {{cases: {CASE_FILE}}}\n"),),
        ),
        "cases.cases.changed": _cases("at_least: [engine-core], changed: a.py", f"at_least: [engine-core], {_TOUCHED}"),
        "cases.cases.environment": FileChange(
            path=CASE_FILE,
            after=f"cases: [{{name: it, at_least: [engine-core], {_TOUCHED}, environment: {{GO: yes}}}}]",
            before=f"cases: [{{name: it, at_least: [engine-core], {_TOUCHED}, environment: {{GO: no}}}}]",
            seen_in=CASES,
            laid={CASE_FILE: ""},
            edits=(
                (WORKSPACE, "", f"selection: {{cases: {CASE_FILE}}}\n"),
                (WORKSPACE, "", "switches: [{environment: {GO: yes}, does: gate_all}]\n"),
            ),
        ),
        "cases.cases.labels": FileChange(
            path=CASE_FILE,
            after=f"cases: [{{name: it, at_least: [engine-core], {_TOUCHED}, labels: [wait]}}]",
            before=f"cases: [{{name: it, at_least: [engine-core], {_TOUCHED}, labels: [go]}}]",
            seen_in=CASES,
            laid={CASE_FILE: ""},
            edits=(
                (WORKSPACE, "", f"selection: {{cases: {CASE_FILE}}}\n"),
                (WORKSPACE, "", "switches: [{label: wait, does: gate_all}]\n"),
            ),
        ),
        "cases.cases.schedule": _cases(
            "never: [engine-core], schedule: weekly", "never: [engine-core], schedule: nightly"
        ),
        "cases.cases.exactly": _cases(f"exactly: [], {_TOUCHED}", f"exactly: [engine-core], {_TOUCHED}"),
        "cases.cases.at_least": _cases(
            f"at_least: [engine-core], {_TOUCHED}", "at_least: [engine-core], changed: a.py"
        ),
        "cases.cases.never": _cases(f"never: [engine-core], {_TOUCHED}", "never: [engine-core], changed: a.py"),
    }
)
"""Fields of files, by name."""

RULES: Final = "The rest of the rules, and waivers that end"
LINT: Final = "Every test has an owner and a job: the ownership lint and the pre-commit hook"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A field that no command reads yet: the capability that will, and a change that shows nothing until then."""

    capability: str
    change: Change | FileChange


def _shell(shell: str) -> "Pending":
    return Pending(capability=RULES, change=_l4(f"title: L4\n    shell: {shell}", "title: L4\n    shell: {name: bash}"))


PENDING: Final[Mapping[str, Pending]] = MappingProxyType(
    {
        "hardware entry.shell": _shell("{name: sh}"),
        "hardware entry.shell.name": _shell("{name: sh}"),
        "hardware entry.shell.options": _shell("{options: [pipefail]}"),
        "hardware entry.shell.join": _shell('{join: "&&"}'),
        "workspace.owners.github": Pending(
            capability=LINT,
            change=FileChange(path=WORKSPACE, at='"@org/core"', before='"@org/core"', after='"@org/other"'),
        ),
    }
)
"""Fields that no command reads yet."""

SAYS_ITSELF: Final[Mapping[str, str]] = MappingProxyType(
    {
        "workspace.version": "there is one version of the language, and another is exit 3",
        "workspace.selection.base": "what git is asked about: tests/unit/git and tests/cli hold it to that",
    }
)
"""Fields whose change cannot be tried in one workspace, and why."""
