"""Programs that CI commands use to run others, after their own manuals. A workspace adds what is its own."""

from typing import Final

from pipegen.commands.programs.known_pytest import PYTEST
from pipegen.commands.programs.tables import Carries, Launcher, Options, Tables, Wrapper


def _options(*, flags: str = "", valued: str = "", folders: str = "") -> Options:
    in_front = frozenset(folders.split())
    return Options(flags=frozenset(flags.split()), valued=frozenset(valued.split()) | in_front, folders=in_front)


_UV_RUN: Final = _options(
    flags="--active --all-extras --all-groups --all-packages --compile-bytecode --dev --exact --frozen --isolated "
    "--locked --managed-python --native-tls --no-cache --no-config --no-default-groups --no-dev --no-editable "
    "--no-env-file --no-index --no-progress --no-project --no-sync --offline --only-dev --quiet --refresh --reinstall "
    "--upgrade --verbose -n -q -s -v -U --script",
    valued="--color --config-file --env-file --extra --extra-index-url --group --index --index-strategy --index-url "
    "--link-mode --no-extra --no-group --only-group --package --prerelease --project --python --resolution --with "
    "--with-editable --with-requirements -p -w -i -f",
    folders="--directory",
)

WRAPPERS: Final = (
    Wrapper(
        name=("env",),
        assigns=True,
        unsets=frozenset({"-u", "--unset"}),
        options=_options(
            flags="-i -0 -v --ignore-environment --null --debug", valued="-u --unset", folders="-C --chdir"
        ),
    ),
    Wrapper(
        name=("sudo",),
        closed=True,
        assigns=True,
        options=_options(
            flags="-A -b -E -H -K -k -n -P -S -s --preserve-env --set-home --non-interactive --stdin",
            valued="-u --user -g --group -h --host -p --prompt -C -r -t -T -U",
            folders="-D --chdir",
        ),
    ),
    Wrapper(
        name=("timeout",),
        skip=1,
        options=_options(flags="--foreground --preserve-status -v --verbose", valued="-k --kill-after -s --signal"),
    ),
    Wrapper(name=("time",), options=_options(flags="-p -v -a -q", valued="-f --format -o --output")),
    Wrapper(name=("nice",), options=_options(valued="-n --adjustment")),
    Wrapper(name=("ionice",), options=_options(flags="-t --ignore", valued="-c --class -n --classdata")),
    Wrapper(name=("nohup",)),
    Wrapper(name=("setsid",), options=_options(flags="-c -f -w --ctty --fork --wait")),
    Wrapper(name=("stdbuf",), options=_options(valued="-i --input -o --output -e --error")),
    Wrapper(name=("unbuffer",), options=_options(flags="-p")),
    Wrapper(name=("taskset",), skip=1, options=_options(flags="-a -c --all-tasks --cpu-list")),
    Wrapper(
        name=("numactl",),
        options=_options(
            flags="-l --localalloc",
            valued="-C --physcpubind -N --cpunodebind -m --membind -i --interleave -p --preferred",
        ),
    ),
    Wrapper(
        name=("flock",),
        skip=1,
        text_option="-c",
        options=_options(flags="-e -n -o -s -u -x --nonblock", valued="-w --timeout -E --conflict-exit-code"),
    ),
    Wrapper(
        name=("xvfb-run",),
        options=_options(
            flags="-a -l --auto-servernum --listen-tcp",
            valued="-e --error-file -f --auth-file -n --server-num -p --xauth-protocol -s --server-args -w --wait",
        ),
    ),
    Wrapper(name=("catchsegv",)),
    Wrapper(
        name=("su",),
        closed=True,
        text_option="-c",
        skip=99,
        options=_options(flags="-l -m -p - --login", valued="-s --shell"),
    ),
    Wrapper(name=("uv", "run"), module=frozenset({"-m", "--module"}), options=_UV_RUN),
    Wrapper(name=("uvx",), options=_UV_RUN),
    Wrapper(name=("poetry", "run"), options=_options(flags="-q -v -n", folders="-C --directory")),
    Wrapper(name=("pdm", "run"), options=_options(flags="-s -v -q", valued="-p --project")),
    Wrapper(name=("pipenv", "run")),
    Wrapper(name=("rye", "run"), options=_options(flags="-q -v")),
    Wrapper(
        name=("pixi", "run"),
        options=_options(flags="--frozen --locked -v -q", valued="-e --environment --manifest-path"),
    ),
    Wrapper(
        name=("conda", "run"),
        options=_options(
            flags="-v --no-capture-output --live-stream --no-banner -s", valued="-n --name -p --prefix", folders="--cwd"
        ),
    ),
    Wrapper(
        name=("micromamba", "run"),
        options=_options(flags="--no-rc", valued="-n --name -p --prefix -a", folders="--cwd"),
    ),
    Wrapper(
        name=("mpirun",),
        options=_options(
            flags="--allow-run-as-root --oversubscribe -q",
            valued="-n -np -c -N --host -host -H --hostfile --bind-to --map-by -x",
        ),
    ),
    Wrapper(
        name=("nsys", "profile"), options=_options(valued="-o --output -t --trace -c --capture-range -f", flags="-w")
    ),
    Wrapper(name=("compute-sanitizer",), options=_options(valued="--tool --log-file --error-exitcode")),
    Wrapper(name=("memray", "run"), options=_options(flags="-f --force --native -q", valued="-o --output")),
    Wrapper(name=("watch",), carries=Carries.JOINED, options=_options(flags="-d -t -e -g -c", valued="-n --interval")),
)
"""Wrappers that are known everywhere."""

_TORCHRUN: Final = _options(
    flags="--standalone --run-path --no-python --no_python --virtual-local-rank",
    valued="--nnodes --nproc-per-node --nproc_per_node --rdzv-backend --rdzv_backend --rdzv-endpoint --rdzv_endpoint "
    "--rdzv-id --rdzv_id --rdzv-conf --rdzv_conf --max-restarts --max_restarts --monitor-interval --start-method "
    "--role --log-dir --log_dir -r --redirects -t --tee --local-ranks-filter --node-rank --node_rank --master-addr "
    "--master_addr --master-port --master_port --local-addr --local_addr",
)

LAUNCHERS: Final = (
    Launcher(
        name=("python",),
        options=_options(
            flags="-b -B -d -E -h -i -I -O -OO -P -q -s -S -u -v -V -x --version --help",
            valued="-W -X --check-hash-based-pycs",
        ),
        text=frozenset({"-c"}),
    ),
    Launcher(
        name=("torchrun",),
        options=_TORCHRUN,
        module=frozenset({"-m", "--module"}),
        command=frozenset({"--no-python", "--no_python"}),
    ),
    Launcher(
        name=("coverage", "run"),
        options=_options(
            flags="-a --append --branch -L --pylib -p --parallel-mode --timid -h",
            valued="--concurrency --context --data-file --include --omit --rcfile --save-signal --source",
        ),
        module=frozenset({"-m", "--module"}),
    ),
    Launcher(
        name=("accelerate", "launch"),
        options=_options(
            flags="--multi_gpu --multi-gpu --cpu --use_deepspeed --use_fsdp -q --quiet --no_python",
            valued="--num_processes --num-processes --num_machines --num-machines --mixed_precision --mixed-precision "
            "--config_file --config-file --main_process_port --machine_rank --main_process_ip --gpu_ids",
        ),
        module=frozenset({"-m", "--module"}),
    ),
    Launcher(
        name=("deepspeed",),
        options=_options(
            flags="--no_local_rank --no_python",
            valued="--num_gpus --num_nodes --include --exclude --hostfile --master_port --master_addr --launcher",
        ),
        module=frozenset({"--module"}),
    ),
    Launcher(
        name=("ipython",), options=_options(flags="--pdb --no-banner -i", valued="--profile"), text=frozenset({"-c"})
    ),
)
"""Programs that run Python."""

TABLES: Final = Tables(
    wrappers=WRAPPERS,
    launchers=LAUNCHERS,
    pytest=PYTEST,
    pytest_names=frozenset({"pytest", "py.test"}),
    shells=frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash"}),
    modules=(
        ("accelerate.commands.launch", "accelerate"),
        ("coverage", "coverage"),
        ("py.test", "pytest"),
        ("pytest", "pytest"),
        ("torch.distributed.launch", "torchrun"),
        ("torch.distributed.run", "torchrun"),
    ),
    inert=frozenset(
        "alias apt apt-get aptitude aws black brew cat chmod chown conda cp curl df diff du echo egrep fgrep flake8 "
        "free git grep gsutil gunzip gzip head hf huggingface-cli install isort jobs kill killall ls lsof mamba mkdir "
        "mktemp mv mypy nvidia-smi pgrep pip pip3 pkill printf ps pwd rm rmdir rocm-smi rsync ruff sed sleep tail tar "
        "tee touch type ulimit umask uname unzip uv wait wc wget which yum".split()
    ),
    conditions=frozenset("cmp diff getent hash id pgrep type which".split()),
    foreign=frozenset(
        "bazel bazelisk ctest gmake hatch inv invoke just make ninja nose2 nosetests nox pants stestr task tox trial "
        "twisted.trial unittest ward".split()
    ),
)
"""What is known of programs before a workspace adds its own."""
