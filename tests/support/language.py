"""The workspace that the goldens of the language are laid over: the design's own, with templates that hide nothing.

Its lanes, owners, switches and toggles are those of the worked example; its catalogue has every kind of choice that
an entry can offer. The templates show what a job is handed, and no executor.
"""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.support.workspaces import Content, Ran, run, write

WORKSPACE: Final = """\
version: 1
tests:
  checkout: /vllm-workspace
  working_dir: /vllm-workspace/tests
  pytest: [pytest, -v, -s]
  shards:
    cuda: &shards ["--num-shards=$BUILDKITE_PARALLEL_JOB_COUNT", "--shard-id=$BUILDKITE_PARALLEL_JOB"]
    amd: *shards
owners:
  spec-decode: {github: "@org/spec-decode"}
  engine: {github: "@org/engine"}
environment: [TORCH_NIGHTLY]
variables:
  REPOSITORY: "{{ 'ci-postmerge' if build.branch == 'main' else 'ci-test' }}"
selection:
  run_all: [CMakeLists.txt, csrc/]
  ignored: [docs/, "**/*.md"]
schedules: {nightly: {environment: {NIGHTLY: "1"}}}
switches:
  - {environment: {RUN_ALL: "1"}, does: run_all}
  - {environment: {NOAUTO: "1"}, does: gate_all}
  - {environment: ONLY_KEYS, does: only}
lanes:
  cuda: {label: ":nvidia: ({{ hardware.title }}) {{ title }}"}
  xpu: {}
  cpu: {}
  amd: {group: Hardware-AMD Tests, label: ":amd: ({{ hardware.title }}) {{ title }}", gate: {depends_on: [image-build-amd]}}
toggles:
  VLLM_USE_V2_MODEL_RUNNER: {values: ["0", "1"], default: "1", about: "model runner V2"}
external_keys: [image-build, image-build-amd]
"""

HARDWARE: Final = """\
hardware:
  h200_18gb: {title: H200, lane: cuda, queue: h200_18gb, gpus: 1, template: docker, depends_on: [image-build]}
  h200_35gb: {title: H200, lane: cuda, queue: h200_35gb, gpus: 1, template: docker, depends_on: [image-build], max_timeout_in_minutes: 180}
  b200-k8s: {title: B200, lane: cuda, queue: b200-k8s, gpus: [1, 2, 4, 8], template: kubernetes, depends_on: [image-build]}
  a100: {title: A100, lane: cuda, queue: a100_queue, gpus: [1, 2, 4], template: docker, depends_on: [image-build]}
  l4: {title: L4, lane: cuda, queue: {1: gpu_1_queue, 2: gpu_4_queue, 4: gpu_4_queue}, nodes: [1, 2], template: docker, depends_on: [image-build]}
  h100: {title: H100, lane: cuda, queue: mithril-h100-pool, gpus: [1, 2, 4, 8], template: kubernetes, depends_on: [image-build]}
  cpu: {title: CPU, lane: cpu, queue: cpu_queue, template: plain}
  mi355_dpx: {title: MI355 DPX, lane: amd, queue: amd_mi355_dpx, gpus: 1, template: amd_native, depends_on: [image-build-amd]}
  intel_gpu: {title: XPU, lane: xpu, queue: intel-gpu, tags: [gpu, mem, label], template: intel_wrapper}
"""

TEMPLATE: Final = """\
commands: {{ job.commands | map(attribute="run") | list | tojson }}
env: {{ job.env | tojson }}
"""

FILES: Final[Mapping[str, Content]] = {
    ".buildkite/pipegen.yaml": WORKSPACE,
    ".buildkite/hardware.yaml": HARDWARE,
    **{
        f"templates/{name}.yaml.j2": TEMPLATE
        for name in ("docker", "kubernetes", "amd_native", "intel_wrapper", "plain")
    },
}

CASES: Final = Path(__file__).parents[1] / "golden" / "language"
APART: Final = frozenset({"expected.yaml", "expected.txt", "arguments.txt", "environment.txt"})
"""Files of a case that are not files of its workspace."""


def names() -> list[str]:
    """All cases."""
    return sorted(folder.name for folder in CASES.iterdir() if folder.is_dir())


def lay_out(name: str, root: Path) -> Path:
    """The workspace of a case, below `root`."""
    case = CASES / name
    own = {
        path.relative_to(case).as_posix(): path.read_bytes()
        for path in sorted(case.rglob("*"))
        if path.is_file() and path.name not in APART
    }
    return write(root, {**FILES, **own})


def generated(name: str, root: Path) -> Ran:
    """What `pipegen generate` makes of a case: everything, unless `arguments.txt` says otherwise."""
    lay_out(name, root)
    case = CASES / name
    words, settings = case / "arguments.txt", case / "environment.txt"
    arguments = shlex.split(words.read_text(encoding="utf-8")) if words.is_file() else ["--all"]
    pairs = settings.read_text(encoding="utf-8").splitlines() if settings.is_file() else []
    return run("generate", *arguments, cwd=root, env=dict(pair.split("=", 1) for pair in pairs))
