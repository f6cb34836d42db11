"""Commands as CI jobs have them, and the files that each collects."""

from typing import Final

import pytest

from pipegen.commands.reading import Why
from tests.support.command_repository import WITH_WRAPPERS, collects, read

ENGINE: Final = {"engine/test_args.py", "engine/test_loop.py", "engine/slow/test_restart.py"}
ATTENTION: Final = {"kernels/attention/test_mla.py", "kernels/attention/test_paged.py"}
MOE: Final = {"kernels/moe/test_experts.py", "kernels/moe/test_route.py"}
FUSED: Final = {"kernels/test_fused_norm.py", "kernels/test_fused_rope.py"}
KERNELS: Final = {"kernels/test_rows.py", *FUSED, *ATTENTION, *MOE}
LORA: Final = {"lora/test_add.py", "lora/test_llama_tp.py", "lora/test_worker.py"}
FULL: Final = {"compile/full/test_full_graph.py", "compile/full/test_simple.py"}
COMPILE: Final = {"compile/test_wrapper.py", "compile/passes/test_fusion.py", *FULL}
DISTRIBUTED: Final = {f"distributed/test_{name}.py" for name in ("comm", "defines", "main", "program", "toplevel")}
TOP: Final = {"test_config.py", "test_logger.py", "test_version.py"}
ALL: Final = {*ENGINE, *KERNELS, *LORA, *COMPILE, *DISTRIBUTED, *TOP, "weights/test_weights.py", "evals/math_test.py"}
NONE: Final[set[str]] = set()

CALLS: Final = [
    ("pytest engine", ENGINE),
    ("pytest -v -s engine", ENGINE),
    ("pytest engine/", ENGINE),
    ("pytest ./engine", ENGINE),
    ("pytest ../tests/engine", ENGINE),
    ("pytest /ws/tests/engine", ENGINE),
    ("py.test -xvs engine", ENGINE),
    ("pytest engine lora", ENGINE | LORA),
    ("pytest engine/test_args.py", {"engine/test_args.py"}),
    ("pytest -v -s -x lora/test_llama_tp.py", {"lora/test_llama_tp.py"}),
    ("pytest lora/test_add.py lora/test_worker.py", {"lora/test_add.py", "lora/test_worker.py"}),
    ("pytest", ALL),
    ("pytest .", ALL),
    ("pytest -v", ALL),
    ("pytest build", {"build/test_wheel.py"}),
    ("pytest kernels/moe/bench_moe.py", {"kernels/moe/bench_moe.py"}),
    ("pytest ../tools/test_build_args.py", {"//tools/test_build_args.py"}),
    ("pytest evals --config-list-file=evals/configs/small.txt", {"evals/math_test.py"}),
    ("pytest engine/test_args.py::test_one", {"engine/test_args.py"}),
    ("pytest engine/test_args.py::TestArgs::test_one lora", {"engine/test_args.py", *LORA}),
    ("pytest 'engine/test_args.py::test_one[a-b c]'", {"engine/test_args.py"}),
    ("pytest engine/test_args.py::test_one[fast]", {"engine/test_args.py"}),
]

OPTIONS: Final = [
    ("pytest -v engine -k 'not slow'", ENGINE),
    ('pytest engine -m "distributed(num_gpus=2)"', ENGINE),
    ("pytest -k test_add lora/test_add.py", {"lora/test_add.py"}),
    ("pytest -ktest_add lora/test_add.py", {"lora/test_add.py"}),
    ("pytest -k=test_add lora/test_add.py", {"lora/test_add.py"}),
    ("pytest -m 'core and (not slow)' kernels/moe -v", MOE),
    (
        "pytest kernels/attention --shard-id=$BUILDKITE_PARALLEL_JOB --num-shards=$BUILDKITE_PARALLEL_JOB_COUNT",
        ATTENTION,
    ),
    ("pytest --num-shards $COUNT --shard-id $JOB kernels/moe", MOE),
    ("pytest -n 4 --dist loadfile lora", LORA),
    ("pytest -nauto lora", LORA),
    ("pytest --timeout 900 --timeout-method=thread lora", LORA),
    ("pytest -p no:cacheprovider -W error::UserWarning -o addopts= lora", LORA),
    ("pytest --cov=pkg --cov-report xml lora", LORA),
    ("pytest lora --cov", LORA),
    ("pytest --durations 10 --maxfail=1 --tb short lora", LORA),
    ("pytest --rootdir .. -c ../pyproject.toml --confcutdir=. lora", LORA),
    ("pytest --junitxml=/var/x/out.xml -rA lora", LORA),
    ("pytest -- lora", LORA),
    ("pytest lora --ignore=lora/test_llama_tp.py", LORA - {"lora/test_llama_tp.py"}),
    ("pytest lora --ignore lora/test_llama_tp.py", LORA - {"lora/test_llama_tp.py"}),
    ("pytest lora --ignore=lora/test_llama_tp.py --ignore=lora/test_add.py", {"lora/test_worker.py"}),
    ("pytest lora --ignore=/ws/tests/lora/test_add.py", LORA - {"lora/test_add.py"}),
    ("pytest kernels --ignore=kernels/attention --ignore kernels/moe/", KERNELS - ATTENTION - MOE),
    ("pytest kernels --ignore=kernels/att", KERNELS),
    ("pytest lora/test_add.py --ignore=lora", {"lora/test_add.py"}),
    ("pytest lora --ignore-glob='*_tp.py'", LORA - {"lora/test_llama_tp.py"}),
    ("pytest . --ignore-glob='*kernels/*' --ignore-glob '*engine*'", ALL - KERNELS - ENGINE),
    ("pytest . --ignore-glob='*/kernels/*'", ALL),
    ("pytest kernels --ignore-glob='kernels/*_fused_*'", KERNELS - FUSED),
    ("pytest lora --deselect tests/lora/test_add.py", LORA - {"lora/test_add.py"}),
    ("pytest lora --deselect='tests/lora/test_add.py::test_one[1]'", LORA),
    ("pytest engine --deselect=tests/engine/slow/", ENGINE - {"engine/slow/test_restart.py"}),
    ("pytest -o python_files='bench_*.py' kernels/moe", {"kernels/moe/bench_moe.py"}),
    ("pytest . --override-ini=norecursedirs=kernels -k x", (ALL | {"build/test_wheel.py"}) - KERNELS),
    ("pytest --collect-only engine", NONE),
    ("pytest --version", NONE),
    ("pytest --lf engine", ENGINE),
]

GLOBS: Final = [
    ("pytest kernels/test_fused_*.py", FUSED),
    ("pytest kernels/test_fused_{norm,rope}.py", FUSED),
    ("pytest kernels/{moe,attention}", MOE | ATTENTION),
    ("pytest kernels/test_[a-f]*.py", FUSED),
    ("pytest kernels/test_[!f]*.py", {"kernels/test_rows.py"}),
    ("pytest kernels/test_row?.py", {"kernels/test_rows.py"}),
    ("pytest */test_a*.py", {"engine/test_args.py", "lora/test_add.py"}),
    ("pytest kernels/m*", MOE),
    ("pytest kernels/*/", MOE | ATTENTION),
    ("pytest /ws/tests/kernels/test_fused_*.py", FUSED),
    ("pytest 'kernels/test_fused_*.py'", NONE),
    ("pytest kernels/**/test_mla.py", {"kernels/attention/test_mla.py"}),
    ("shopt -s globstar; pytest **/test_mla.py", {"kernels/attention/test_mla.py"}),
    ("pytest **/test_mla.py", NONE),
    ("for f in kernels/test_fused_*.py; do pytest $f; done", FUSED),
    ('for f in kernels/test_fused_*.py; do pytest -v "$f" -k fast; done', FUSED),
    ('FILES=(kernels/test_fused_*.py lora/test_add.py); pytest "${FILES[@]}"', FUSED | {"lora/test_add.py"}),
    ("F='kernels/test_fused_*.py'; pytest $F", FUSED),
    ("pytest $(ls kernels/test_fused_*.py)", FUSED),
    ("pytest $(echo kernels/test_fused_*.py)", FUSED),
]

PREFIXES: Final = [
    ("SIZE=2 pytest engine", ENGINE),
    ("A=1 B='2 3' C=\"$X\" pytest engine", ENGINE),
    ("env A=1 pytest engine", ENGINE),
    ("env -i -u HOME A=1 B=2 pytest engine", ENGINE),
    ("env -C engine pytest slow", {"engine/slow/test_restart.py"}),
    ("timeout 10m pytest engine", ENGINE),
    ("timeout --signal=KILL -k 5 30m pytest engine", ENGINE),
    ("timeout -s KILL 30m pytest engine", ENGINE),
    ("time pytest engine", ENGINE),
    ("nice -n 10 pytest engine", ENGINE),
    ("nohup pytest engine &", ENGINE),
    ("stdbuf -oL pytest engine", ENGINE),
    ("xvfb-run -a -s '-screen 0 1x1x8' pytest engine", ENGINE),
    ("sudo -E -u ci A=1 pytest engine", ENGINE),
    ("command pytest engine", ENGINE),
    ("exec pytest engine", ENGINE),
    ("taskset -c 0-3 numactl --membind=0 pytest engine", ENGINE),
    ("flock /var/x/lock pytest engine", ENGINE),
    ("python -m pytest engine", ENGINE),
    ("python3 -m pytest -v engine", ENGINE),
    ("python3.12 -u -X dev -W error -m pytest engine", ENGINE),
    ("/usr/local/venv/bin/python -m pytest engine", ENGINE),
    (".venv/bin/pytest engine", ENGINE),
    ("/usr/local/bin/pytest engine", ENGINE),
    ("uv run pytest engine", ENGINE),
    ("uv run --with pytest-timeout --no-sync -- pytest engine", ENGINE),
    ("uv run --directory engine pytest slow", {"engine/slow/test_restart.py"}),
    ("uv run -m pytest engine", ENGINE),
    ("uv run python -m pytest engine", ENGINE),
    ("poetry run pytest engine", ENGINE),
    ("conda run -n ci --no-capture-output pytest engine", ENGINE),
    ("coverage run -m pytest engine", ENGINE),
    ("coverage run --source=pkg -p -m pytest engine", ENGINE),
    ("python -m coverage run --branch -m pytest engine", ENGINE),
    ("torchrun --nproc-per-node=2 -m pytest distributed/test_comm.py", {"distributed/test_comm.py"}),
    ("torchrun --nnodes 2 --nproc_per_node 4 -m pytest distributed/test_comm.py", {"distributed/test_comm.py"}),
    ("python -m torch.distributed.run --nproc-per-node 2 -m pytest engine", ENGINE),
    ("accelerate launch --num_processes 2 -m pytest engine", ENGINE),
    ("mpirun -np 2 --allow-run-as-root pytest engine", ENGINE),
    ("nsys profile -o out pytest engine", ENGINE),
]

PROGRAMS: Final = [
    ("python3 distributed/test_program.py", {"distributed/test_program.py"}),
    ("python3 distributed/test_toplevel.py --size 2", {"distributed/test_toplevel.py"}),
    ("torchrun --nproc-per-node=2 distributed/test_program.py | grep passed", {"distributed/test_program.py"}),
    ("python3 distributed/test_defines.py", NONE),
    ("python3 distributed/test_comm.py", NONE),
    ("python3 distributed/test_main.py -k it", {"distributed/test_main.py"}),
    ("coverage run distributed/test_program.py", {"distributed/test_program.py"}),
    ("cd .. && python3 tools/run_all.py", LORA),
    ("python3 ../examples/chat.py --model tests/engine", NONE),
    ("python3 -c 'import sys; print(sys.path)'", NONE),
    ("python3 -m pip install pytest", NONE),
    ("uv run distributed/test_program.py", {"distributed/test_program.py"}),
]

SCRIPTS: Final = [
    ("cd engine && pytest slow", {"engine/slow/test_restart.py"}),
    ("cd engine; pytest slow", {"engine/slow/test_restart.py"}),
    ("cd engine\npytest slow", {"engine/slow/test_restart.py"}),
    ("cd .. && pytest tests/engine", ENGINE),
    ("cd /ws && pytest tests/engine", ENGINE),
    ("cd engine && cd ../lora && pytest test_add.py", {"lora/test_add.py"}),
    ("cd engine && cd - && pytest lora", LORA),
    ("pushd engine && pytest slow; popd; pytest lora", {"engine/slow/test_restart.py", *LORA}),
    ("(cd engine && pytest slow) && pytest lora", {"engine/slow/test_restart.py", *LORA}),
    ("(cd engine; pytest slow); pytest lora", {"engine/slow/test_restart.py", *LORA}),
    ("{ cd engine; pytest slow; }; pytest test_args.py", {"engine/slow/test_restart.py", "engine/test_args.py"}),
    ("pytest engine && pytest lora", ENGINE | LORA),
    ("pytest engine || pytest lora", ENGINE | LORA),
    ("pytest engine; pytest lora", ENGINE | LORA),
    ("pytest engine || true", ENGINE),
    ("pytest engine 2>&1 | tee /var/x/log", ENGINE),
    ("set -o pipefail; pytest engine > log 2>&1", ENGINE),
    ("pip install av && pytest -v -s engine", ENGINE),
    ("pytest engine \\\n  --ignore engine/slow \\\n  -k 'not x'", ENGINE - {"engine/slow/test_restart.py"}),
    ("# pytest lora\npytest engine # and not pytest kernels", ENGINE),
    ("pytest engine; exit 0; pytest lora", ENGINE),
    ("for d in engine lora; do pytest $d; done", ENGINE | LORA),
    ("for d in engine lora; do (cd $d && pytest); done", ENGINE | LORA),
    ("for n in add worker; do pytest lora/test_$n.py; done", {"lora/test_add.py", "lora/test_worker.py"}),
    ("for n in add worker; do pytest lora/test_${n}.py || exit 1; done", {"lora/test_add.py", "lora/test_worker.py"}),
    ("for i in 1 2 3; do pytest lora/test_add.py; done", {"lora/test_add.py"}),
    ("for i in {1..3}; do pytest lora/test_add.py; done", {"lora/test_add.py"}),
    ("for i in $(seq 3); do pytest lora/test_add.py; done", {"lora/test_add.py"}),
    ("D=engine; pytest $D", ENGINE),
    ("D=engine\npytest ${D}/slow", {"engine/slow/test_restart.py"}),
    ("export D=engine && bash -c 'pytest $D'", ENGINE),
    ('ARGS="-v --ignore=engine/slow"; pytest $ARGS engine', ENGINE - {"engine/slow/test_restart.py"}),
    ('TESTS=(engine lora); pytest -v "${TESTS[@]}"', ENGINE | LORA),
    ("if [ -f x ]; then pytest engine; else pytest lora; fi", ENGINE | LORA),
    ("if [[ $KIND == full ]]; then pytest lora; fi", LORA),
    ("while ! curl -s localhost; do sleep 1; done; pytest lora", LORA),
    ('case "$KIND" in a) pytest engine;; *) pytest lora;; esac', ENGINE | LORA),
    ("bash -c 'pytest engine && pytest lora'", ENGINE | LORA),
    ('bash -lc "cd engine && pytest slow"', {"engine/slow/test_restart.py"}),
    ("sh -ec 'pytest engine'", ENGINE),
    ("bash -euxo pipefail -c 'pytest engine'", ENGINE),
    ("bash -c 'pytest $0 $1' engine lora", ENGINE | LORA),
    ('eval "pytest engine"', ENGINE),
    ("C='pytest engine'; eval $C; $C", ENGINE),
    ("bash <<'EOF'\ncd engine\npytest slow\nEOF", {"engine/slow/test_restart.py"}),
    ("cat > notes <<EOF\npytest lora\nEOF\npytest engine", ENGINE),
    ('t() { pytest "$@"; }; t engine; t lora -v', ENGINE | LORA),
    ("function t { cd engine; pytest $1; }\nt slow", {"engine/slow/test_restart.py"}),
    ("echo pytest lora; pytest engine", ENGINE),
    ("pip install pytest pytest-timeout", NONE),
    ("which pytest && pytest engine", ENGINE),
    ("trap 'rm -rf /var/x/x' EXIT; pytest engine", ENGINE),
    ("export PYTEST_ADDOPTS='--ignore=engine/slow -q'; pytest engine", ENGINE - {"engine/slow/test_restart.py"}),
    ("pytest $'engine/test_args.py'", {"engine/test_args.py"}),
    ("pytest engine'/'\"slow\"", {"engine/slow/test_restart.py"}),
    ("nvidia-smi; ! pytest engine", ENGINE),
]

FOUND: Final = [
    (
        "find compile/ -maxdepth 1 -name 'test_*.py' -print0 | xargs -0 -n1 -I{} pytest -s -v '{}'",
        {"compile/test_wrapper.py"},
    ),
    ("find compile -name 'test_*.py' | xargs pytest", COMPILE),
    (
        "find compile/full/ -name 'test_*.py' -not -name 'test_full*' -print0 | xargs -0 pytest",
        {"compile/full/test_simple.py"},
    ),
    ("find compile -name 'test_*.py' ! -path '*/full/*' | sort | xargs -r pytest -v", COMPILE - FULL),
    (
        "find compile \\( -name '*_graph.py' -o -name 'test_fu*' \\) -type f | xargs -n 1 pytest",
        {"compile/full/test_full_graph.py", "compile/passes/test_fusion.py"},
    ),
    ("find . -name 'test_fused_*.py' -exec pytest {} \\;", FUSED),
    ("find kernels -type d -name moe -exec pytest -v {} +", MOE),
    ("pytest $(find kernels -name 'test_fused_*')", FUSED),
    ("for f in $(find kernels -name 'test_fused_*'); do pytest $f; done", FUSED),
    ("find kernels -name 'test_fused_*' | while read -r f; do pytest \"$f\"; done", FUSED),
    ("echo engine lora | xargs pytest -v", ENGINE | LORA),
    ("printf '%s\\n' engine lora | xargs -I% pytest %", ENGINE | LORA),
    ("cd .. && xargs pytest < ci/list.txt", {"lora/test_add.py", "test_config.py"}),
    ("cd .. && pytest $(cat ci/list.txt)", {"lora/test_add.py", "test_config.py"}),
    ("cd .. && while read -r t; do pytest $t; done < ci/list.txt", {"lora/test_add.py", "test_config.py"}),
    ("cd .. && pytest @ci/args.txt", {"lora/test_add.py"}),
]

FOLLOWED: Final = [
    ("bash run_suite.sh engine", ENGINE),
    ("./run_suite.sh lora -x", LORA),
    ("bash /ws/tests/run_suite.sh lora", LORA),
    ("cd engine && bash ../run_suite.sh engine", ENGINE),
    ("bash -x sweep.sh", {"kernels/test_rows.py", *MOE}),
    ("source sweep.sh", {"kernels/test_rows.py", *MOE}),
    (". ./sweep.sh", {"kernels/test_rows.py", *MOE}),
    ("bash weights/run_weights.sh -c weights/models.txt", {"weights/test_weights.py"}),
    ("cd .. && ci/no-shebang", {"test_config.py"}),
    ("bash ../ci/install.sh && pytest lora", LORA),
    ("timeout 60 bash run_suite.sh engine", ENGINE),
]

WRAPPED: Final = [
    ('bash ../ci/run-in-image.sh 30m "\npytest tests/engine\npytest tests/lora"', ENGINE | LORA),
    ("bash ../ci/run-in-image.sh 30m 'cd tests && A=1 pytest engine && bash run_suite.sh lora'", ENGINE | LORA),
    ("IN_IMAGE='pytest tests/engine' bash ../ci/run-in-image.sh", ENGINE),
    ("../ci/nodes.sh /ws/tests 2 'pytest engine' 'pytest lora'", ENGINE | LORA),
    ("../ci/joined.sh pytest tests/engine '&&' pytest tests/lora", ENGINE | LORA),
    ("bash ../ci/joined.sh 'cd tests && pytest engine'", ENGINE),
    ("pytest --models small engine", ENGINE),
]

EVERY: Final = [*CALLS, *OPTIONS, *GLOBS, *PREFIXES, *PROGRAMS, *SCRIPTS, *FOUND, *FOLLOWED, *WRAPPED]


def test_there_are_enough() -> None:
    commands = [command for command, _ in EVERY]
    assert len(set(commands)) == len(commands) >= 150


@pytest.mark.parametrize(("command", "expected"), EVERY)
def test_what_it_collects(command: str, expected: set[str]) -> None:
    reading = read(command, tables=WITH_WRAPPERS)
    assert collects(reading.runs) == expected


@pytest.mark.parametrize("command", [command for command, _ in EVERY])
def test_it_is_read_completely(command: str) -> None:
    reading = read(command, tables=WITH_WRAPPERS)
    assert [unread for unread in reading.unread if unread.why is not Why.CONTENT] == []
