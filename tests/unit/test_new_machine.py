"""A new kind of machine is a catalogue entry and a template: no line of Python knows of it."""

from pathlib import Path

from tests.support.compiled import Compiled, compiled
from tests.support.workspaces import run, write

WORKSPACE = """\
version: 1
owners: {physics: {github: "@org/physics"}}
environment: [CLUSTER]
variables: {IMAGE: "registry.example/{{ env.CLUSTER or 'lab' }}"}
tests: {checkout: /scratch/repo, working_dir: /scratch/repo/tests, pytest: [pytest, -v]}
lanes:
  abacus: {label: ":abacus: {{ title }} on {{ hardware.gpus }} beads", required: true}
"""

HARDWARE = """\
hardware:
  abacus_hall:
    title: Hall of abaci
    lane: abacus
    queue: {1: hall-small, 8: hall-large}
    nodes: [1, 2]
    tags: [wood]
    template: slurm
    max_timeout_in_minutes: 90
    depends_on: [image]
    retry: {automatic: [{exit_status: 75, limit: 2}]}
    facts: {partition: beads, image: "{{ vars.IMAGE }}:{{ upload.BUILDKITE_COMMIT }}", modules: [gcc/13, beads/2.1]}
"""

TEMPLATE = """\
{# The scheduler runs one script on all nodes and takes minutes for its own limit. #}
{% set script = namespace(lines=[]) %}
{% for module in hardware.facts.modules %}
{% set script.lines = script.lines + ["module load " ~ (module | sh_quote)] %}
{% endfor %}
{% for name, value in job.env | items %}
{% set script.lines = script.lines + ["export " ~ name ~ "=" ~ (value | sh_quote)] %}
{% endfor %}
{% set script.lines = script.lines + ["cd " ~ (job.working_dir | sh_quote)] %}
{% for command in job.commands %}
{% set script.lines = script.lines + ["echo " ~ (command.title | sh_quote), command.run] %}
{% endfor %}
{% set words = [
  "srun", "--partition", hardware.facts.partition, "--nodes", job.nodes, "--gpus-per-node", job.gpus,
  "--time", job.timeout_in_minutes, "--container-image", hardware.facts.image,
  "bash", "-ec", script.lines | join("\\n"),
] %}
command: {{ words | sh_join | tojson }}
env: {ABACUS_KEY: {{ job.key | tojson }}, ABACUS_TAGS: {{ job.tags | tojson | tojson }}}
timeout_in_minutes: {{ job.timeout_in_minutes + 15 }}
soft_fail: null
plugins:
  - abacus#v1.0.0: {queue: {{ hardware.queue | tojson }}, lane: {{ job.lane | tojson }}, parts: {{ job.parallelism }}}
"""

AREAS = """\
group: Sums
owner: physics

areas:
  sums/carry_over:
    tests: [sums/, //examples/test_abacus.py]
    hardware: {abacus_hall: {wood: "beech & oak"}}
    gpus: 8
    nodes: 2
    timeout_in_minutes: 30
    soft_fail: true
    env: {GREETING: "it's $HOME"}
    setup: [make beads]
    parts: {small: {k: small}, others: {rest: true}}
steps:
  - {key: image, hardware: abacus_hall, template: bare, depends_on: [], timeout_in_minutes: 5, commands: [make image]}
"""

FILES = {
    ".buildkite/pipegen.yaml": WORKSPACE,
    ".buildkite/hardware.yaml": HARDWARE,
    "templates/slurm.yaml.j2": TEMPLATE,
    "templates/bare.yaml.j2": "commands: {{ job.commands | map(attribute='run') | list | tojson }}\n",
    "areas/sums.yaml": AREAS,
}

SCRIPT = """\
module load gcc/13
module load beads/2.1
export GREETING='it'"'"'s $HOME'
cd /scratch/repo/tests
echo "make beads"
make beads
echo 'pytest -v sums/ ../examples/test_abacus.py -k "not small"'
pytest -v sums/ ../examples/test_abacus.py -k "not small\""""


def steps(result: Compiled) -> dict[str, object]:
    """The steps by key, upload references as authors write them."""
    assert result.errors == ()
    return {str(step.step["key"]): step.step for group in result.rendered.groups for step in group.steps}


def test_a_made_up_machine_gets_its_steps_from_data_alone() -> None:
    found = steps(compiled(FILES, {"CLUSTER": "cern"}))
    assert sorted(found) == ["image", "sums-carry-over-others", "sums-carry-over-small"]
    quoted = SCRIPT.replace("'", "'\"'\"'")
    image = "registry.example/cern:\ufdd0BUILDKITE_COMMIT\ufdd1"
    assert found["sums-carry-over-others"] == {
        "label": ":abacus: Sums Carry Over (others) on 8 beads",
        "key": "sums-carry-over-others",
        "depends_on": ["image"],
        "agents": {"queue": "hall-large", "wood": "beech & oak"},
        "env": {"ABACUS_KEY": "sums-carry-over-others", "ABACUS_TAGS": '{"wood": "beech & oak"}'},
        "command": (
            f'srun --partition beads --nodes 2 --gpus-per-node 8 --time 30 --container-image "{image}" '
            f"bash -ec '{quoted}'"
        ),
        "plugins": [{"abacus#v1.0.0": {"queue": "hall-large", "lane": "abacus", "parts": 1}}],
        "timeout_in_minutes": 45,
        "retry": {"automatic": [{"exit_status": 75, "limit": 2}]},
    }
    assert found["image"] == {
        "label": ":abacus: Image on 1 beads",
        "key": "image",
        "depends_on": [],
        "agents": {"queue": "hall-small"},
        "command": "make image",
        "timeout_in_minutes": 5,
        "retry": {"automatic": [{"exit_status": 75, "limit": 2}]},
    }


def test_the_command_line_prints_it(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    ran = run("generate", "--all", cwd=tmp_path)
    assert ran.status == 0
    # The template takes soft_fail away, and its author is told.
    assert ran.stderr.splitlines()[0].startswith("areas/sums.yaml:11:16 PG763 finding: ")
    assert ran.stderr.splitlines()[-1] == "1 finding"
    assert ran.stdout.count("queue: hall-large") == 4  # agents and plugin of two jobs
    assert "registry.example/lab:${BUILDKITE_COMMIT}" in ran.stdout
    assert "$$HOME" in ran.stdout


def test_what_it_does_not_offer_is_refused_like_anywhere() -> None:
    files = {
        **FILES,
        "areas/sums.yaml": AREAS.replace("gpus: 8", "gpus: 4").replace("in_minutes: 30", "in_minutes: 91"),
    }
    assert sorted({found.code.name for found in compiled(files).errors}) == ["not-offered"]
    late = {**FILES, "areas/sums.yaml": AREAS.replace("in_minutes: 30", "in_minutes: 91")}
    assert sorted({found.code.name for found in compiled(late).errors}) == ["timeout-above-cap"]


def test_a_template_that_drops_the_commands_is_refused() -> None:
    files = {**FILES, "templates/bare.yaml.j2": "command: make\n"}
    assert [found.code.name for found in compiled(files).errors] == ["undelivered"]


def test_no_line_of_python_knows_of_it() -> None:
    sources = (Path(__file__).parents[2] / "pipegen").rglob("*.py")
    assert [path for path in sources if "abacus" in path.read_text(encoding="utf-8")] == []
