"""Workspaces of a few lines, each with another part of the language in it: quick enough for a million inputs."""

import functools
from collections.abc import Mapping
from typing import Final

from tests.support.bases import FLEET, Base

_WORKSPACE: Final = """\
version: 1
tests: {roots: [tests/], pytest: [pytest]}
owners: {one: {slack: "#one"}}
lanes: {cuda: {}, amd: {required: false}}
"""
_HARDWARE: Final = """\
hardware:
  l4: {title: L4, lane: cuda, queue: q4, template: t}
  mi: {title: MI, lane: amd, queue: qm, gpus: [1, 8], template: t}
"""
_TEMPLATE: Final = "commands: {{ job.commands | map(attribute='run') | list | tojson }}\nenv: {{ job.env | tojson }}\n"
_DEFAULTS: Final = "group: A\nowner: one\ntimeout_in_minutes: 10\ndepends_on: []\nhardware: l4\n"

_WORDS: Final[Mapping[str, tuple[str, str, str]]] = {
    "area": ("", "", "areas: {a/b: {tests: [b/], sources: [src/, '!src/x']}}\n"),
    "mirror": (
        "",
        "",
        "areas:\n  a: {tests: [a/], mirrors: {amd: {hardware: mi, gpus: 8, timeout_in_minutes: 9, depends_on: []}}}\n"
        '  b: {tests: [b/], mirrors: {amd: {none: no card, tracking: "#1", until: 2027-01-31}}}\n',
    ),
    "parts": ("", "", "areas: {a: {tests: [a/], parts: {x: {k: one and not two}, y: {rest: true}}, env: {A: 1}}}\n"),
    "variants": (
        "",
        "",
        "areas: {a: {tests: [a/], env: {X: 08}, variants: {no: {env: {X: 1.10}}, on: {env: {X: null}, title: y}}}}\n",
    ),
    "steps": ("", "", "areas: {a: {tests: [a/], steps: {x: {m: slow}, y: {rest: true, priority: 3}}}}\n"),
    "plain": (
        "external_keys: [other]\n",
        "",
        'steps:\n- {key: k, commands: ["echo $HOME", {run: make x, title: Make}], depends_on: [other], when: always}\n',
    ),
    "jinja": (
        "environment: [NIGHTLY]\nvariables: {R: \"{{ 'x' if build.branch == 'main' else env.NIGHTLY }}\"}\n",
        "",
        'areas: {a: {tests: [a/], env: {R: "{{ vars.R }}-{{ hardware.title }}"}, title: "{{ area.name }}"}}\n',
    ),
    "toggle": (
        'toggles: {T: {values: ["0", "1"], default: "1", about: t}}\n',
        "",
        'areas: {a: {tests: [a/], env: {T: {value: 0, because: hang, until: "#5"}}}}\n',
    ),
    "selection": (
        "selection: {run_all: [setup.py, csrc/], ignored: [docs/], unselected: skip}\n"
        'schedules: {nightly: {environment: {N: "1"}}}\nswitches: [{label: ready, does: [run_all, {priority: 7}]}]\n',
        "",
        "areas: {a: {tests: [a/], when: [changed, nightly]}, b: {tests: [b/c], when: nightly}}\n",
    ),
    "tags": (
        "",
        "  xpu: {title: X, lane: cuda, queue: x, tags: [gpu], template: t}\n",
        "areas: {a: {tests: [a], hardware: {xpu: {gpu: 1+}}}}\n",
    ),
    "buildkite": (
        "",
        "",
        "areas: {a: {tests: [a/], retry: {automatic: [{exit_status: -1, limit: 2}]}, soft_fail: [{exit_status: 3}],"
        " concurrency: 1, concurrency_group: g, artifact_paths: [x/*], if: build.branch == 'main',"
        " agents: {os: linux}}}\n",
    ),
    "dated": (
        'schedules: {n: {environment: {N: "1"}}}\n'
        "waivers: [{rule: PG306, at: a/, reason: r, owner: one, until: 2027-01-31}]\n"
        'quarantine:\n- {test: "b/c.py::t[1]", reason: r, owner: one, until: "#5", runs: {schedules: n, lanes: amd}}\n',
        "",
        "areas: {a: {tests: [b/], when: [changed, n]}}\n",
    ),
    "shards": (
        "limits: {jobs_per_build: 9}\n",
        "",
        'areas: {a: {tests: [a/], parallelism: 4, commands: ["pytest --shard $BUILDKITE_PARALLEL_JOB a"]}}\n',
    ),
}


@functools.cache
def tiny() -> tuple[Base, ...]:
    """All of them."""
    found = []
    for name, (workspace, hardware, manifest) in _WORDS.items():
        files = {
            FLEET: _WORKSPACE + workspace,
            ".buildkite/hardware.yaml": _HARDWARE + hardware,
            "areas/a.yaml": _DEFAULTS + manifest,
            "templates/t.yaml.j2": _TEMPLATE,
            "tests/a/test_one.py": "def test_one(): ...\n",
            "tests/b/c/test_two.py": "def test_two(): ...\n",
            "src/x.py": "",
        }
        authored = tuple(path for path in files if path.endswith(".yaml"))
        held = {path: text.encode() for path, text in files.items()}
        found.append(Base(name=f"tiny/{name}", files=held, authored=authored))
    return tuple(found)
