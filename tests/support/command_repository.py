"""A small repository for commands to run in: its files, and the content of its scripts."""

from collections.abc import Sequence
from typing import Final

from pipegen.commands.collecting.collector import Collector
from pipegen.commands.collecting.files import Files
from pipegen.commands.programs.known import TABLES
from pipegen.commands.programs.tables import Carries, Tables, Wrapper
from pipegen.commands.reader import CommandReader, tables_with
from pipegen.commands.reading import Reading, TestRun

CHECKOUT: Final = "/ws"

CONTENTS: Final = {
    "ci/run-in-image.sh": '#!/bin/bash\ndocker run --rm image bash -c "$2"\n',
    "ci/nodes.sh": "#!/bin/bash\n# folder, number of nodes, then a command for each\n",
    "ci/joined.sh": '#!/bin/bash\neval "$*"\n',
    "ci/install.sh": "#!/usr/bin/env bash\nset -euo pipefail\npip install -r requirements.txt\n",
    "ci/no-shebang": "pytest tests/test_config.py\n",
    "ci/tool.pl": "#!/usr/bin/perl\nprint 1;\n",
    "ci/harness.rb": "#!/usr/bin/env ruby\nsystem 'pytest tests'\n",
    "ci/loop.sh": "bash ci/loop.sh\npytest tests/test_config.py\n",
    "ci/args.txt": "-q\ntests/lora/test_add.py\n",
    "ci/list.txt": "tests/lora/test_add.py\ntests/test_config.py\n",
    "tests/run_suite.sh": (
        "#!/bin/bash\n"
        'cd "$(dirname "${BASH_SOURCE[0]}")"\n'
        "suite=${1:-all}\n"
        'case "$suite" in\n'
        "  engine) pytest -v engine ;;\n"
        '  lora) shift; pytest -v lora "$@" ;;\n'
        '  *) echo "no such suite" >&2; exit 2 ;;\n'
        "esac\n"
    ),
    "tests/weights/run_weights.sh": (
        "#!/bin/bash\n"
        "while getopts 'c:' OPTION; do\n"
        "  case ${OPTION} in\n"
        '    c) CONFIG="$OPTARG" ;;\n'
        "  esac\n"
        "done\n"
        "IFS=$'\\n' read -d '' -r -a MODELS < \"$CONFIG\"\n"
        "SUCCESS=0\n"
        'for MODEL in "${MODELS[@]}"; do\n'
        "  LOCAL=0\n"
        '  pytest -s "$(git rev-parse --show-toplevel)/tests/weights/test_weights.py" || LOCAL=$?\n'
        "  SUCCESS=$((SUCCESS + LOCAL))\n"
        "done\n"
        'exit "${SUCCESS}"\n'
    ),
    "tests/sweep.sh": (
        "#!/usr/bin/env bash\n"
        "set -e\n"
        'CANARY="kernels/test_rows.py"\n'
        'python3 -m pytest -x "${CANARY}"\n'
        "run() {\n"
        "  local extra=$1\n"
        "  SIZE=$2 pytest kernels/moe $extra || return 1\n"
        "}\n"
        'run "-q" 1\n'
        'run "-k fast" 2\n'
    ),
    "tests/distributed/test_program.py": (
        "import os\n\ndef check():\n    assert os.getpid()\n\nif __name__ == '__main__':\n    check()\n"
    ),
    "tests/distributed/test_toplevel.py": "import sys\nvalue = len(sys.argv)\nassert value\nprint('passed')\n",
    "tests/distributed/test_defines.py": "import pytest\n\npytest.importorskip('os')\n\ndef test_it():\n    assert 1\n",
    "tests/distributed/test_main.py": (
        "import sys\nimport pytest\n\ndef test_it():\n    pass\n\n"
        "if __name__ == '__main__':\n    sys.exit(pytest.main([__file__, '-v'] + sys.argv[1:]))\n"
    ),
    "tests/distributed/test_comm.py": "def test_comm():\n    pass\n",
    "tools/run_all.py": "import pytest\n\nraise SystemExit(pytest.main(['tests/lora', '-q']))\n",
    "tools/pick.py": "import pytest\nfrom pick import picked\n\npytest.main(picked())\n",
    "tools/broken.py": "def (:\n",
    "examples/chat.py": "print('hello')\n",
}

FILES: Final = (
    *CONTENTS,
    *("pyproject.toml", "requirements.txt", "ci/list.csv", "tests/conftest.py", "tests/weights/models.txt"),
    *("tests/test_config.py", "tests/test_logger.py", "tests/test_version.py", "tests/weights/test_weights.py"),
    *("tests/engine/test_args.py", "tests/engine/test_loop.py", "tests/engine/slow/test_restart.py"),
    *("tests/kernels/test_rows.py", "tests/kernels/test_fused_norm.py", "tests/kernels/test_fused_rope.py"),
    *("tests/kernels/attention/test_mla.py", "tests/kernels/attention/test_paged.py", "tests/kernels/utils.py"),
    *("tests/kernels/moe/test_experts.py", "tests/kernels/moe/test_route.py", "tests/kernels/moe/bench_moe.py"),
    *("tests/lora/test_add.py", "tests/lora/test_llama_tp.py", "tests/lora/test_worker.py"),
    *("tests/compile/test_wrapper.py", "tests/compile/passes/test_fusion.py", "tests/compile/full/test_full_graph.py"),
    *("tests/compile/full/test_simple.py", "tests/build/test_wheel.py", "tests/evals/math_test.py"),
    *("tests/evals/configs/small.txt", "tools/test_build_args.py", "examples/serve.py"),
)

WRAPPERS: Final = (
    Wrapper(name=("ci/run-in-image.sh",), carries=Carries.TEXT, skip=1, folder=CHECKOUT, variable="IN_IMAGE"),
    Wrapper(name=("ci/nodes.sh",), carries=Carries.TEXTS, skip=2, folder_argument=1),
    Wrapper(name=("ci/joined.sh",), carries=Carries.JOINED, folder=CHECKOUT),
)

WITH_WRAPPERS: Final = tables_with(WRAPPERS, valued=("--models",))


def read(*commands: str, working_dir: str = "tests", tables: Tables = TABLES, **environment: str) -> Reading:
    """What the commands say, run in `tests` unless a folder is named."""
    reader = CommandReader(checkout=CHECKOUT, content=CONTENTS.get, tables=tables)
    return reader.read(commands, working_dir=working_dir, environment=environment)


def collects(runs: Sequence[TestRun]) -> set[str]:
    """The files that runs collect, from `tests/`; those of a run that executes nothing are none."""
    collector = Collector(files=Files.of(FILES), checkout=CHECKOUT)
    paths = {path for run in runs if run.executes for path in collector.collect(run).paths}
    return {path.removeprefix("tests/") if path.startswith("tests/") else f"//{path}" for path in paths}
