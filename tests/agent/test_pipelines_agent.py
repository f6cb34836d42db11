"""The real agent takes what `generate` writes, and what it sends on equals the pipeline in memory, types included."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import pytest
import yaml

from pipegen import app
from pipegen.plain import Plain, PlainMap
from tests.support.agent import Agent
from tests.support.agent_model import interpolate
from tests.support.loopback import LoopbackServer, UploadState
from tests.support.memory import as_the_agent_shows, pipeline_in_memory, upload_names

pytestmark = pytest.mark.agent

REPOSITORY = Path(__file__).parents[2]
GOLDEN = REPOSITORY / "tests" / "golden" / "language"


def _document(
    root: Path,
    output: app.Output,
    workspace: str = app.DEFAULT_WORKSPACE,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> str:
    request = app.Request(place=app.Place(root=root, path=workspace), environment=environment)
    product = app.generate(request, output, app.Asked(every=True))
    assert product.document is not None, product.diagnostics
    return product.document


def _same(shown: PlainMap | None, wanted: PlainMap) -> None:
    """Equal as JSON: `1`, `true` and `1.0` are three things."""
    assert json.dumps(shown, sort_keys=True, indent=1) == json.dumps(wanted, sort_keys=True, indent=1)


@pytest.mark.parametrize("format_", ["yaml", "json"])
def test_the_reference_fleet_passes_the_agent_unchanged(agent: Agent, format_: str) -> None:
    memory = pipeline_in_memory(REPOSITORY)
    values = {name: f"value-of-{name.lower()}" for name in upload_names(memory)}
    run = agent.dry_run(_document(REPOSITORY, app.Output(format=format_)), env=values)
    assert run.status == 0, run.stderr
    assert values, "the fleet has values that only the agent knows"
    _same(run.pipeline, as_the_agent_shows(memory, values))


@pytest.mark.parametrize("interpolation", [True, False], ids=["interpolated", "as it is"])
@pytest.mark.parametrize("format_", ["yaml", "json"])
def test_the_reference_fleet_is_delivered_exactly(
    agent: Agent, loopback: LoopbackServer, format_: str, interpolation: bool
) -> None:
    """In both modes: the agent fills in what only it knows, or pipegen does from the environment of the upload."""
    memory = pipeline_in_memory(REPOSITORY)
    values = dict.fromkeys(upload_names(memory), "filled-in")
    output = app.Output(format=format_, interpolation=interpolation)
    document = _document(REPOSITORY, output, environment={} if interpolation else values)
    run = agent.upload(document, server=loopback, interpolation=interpolation, env=values if interpolation else {})
    assert run.status == 0, run.stderr
    (upload,) = loopback.build.uploads
    assert upload.state is UploadState.APPLIED
    _same(upload.pipeline, as_the_agent_shows(memory, values))


def test_the_projects_own_pipeline_passes_the_agent(agent: Agent) -> None:
    memory = pipeline_in_memory(REPOSITORY, ".buildkite/self.yaml")
    run = agent.dry_run(_document(REPOSITORY, app.Output(), ".buildkite/self.yaml"))
    assert run.status == 0, run.stderr
    _same(run.pipeline, as_the_agent_shows(memory, {}))


def test_an_upload_without_interpolation_delivers_a_fleet_exactly(
    agent: Agent, loopback: LoopbackServer, tmp_path: Path
) -> None:
    """The same texts as they are; a fleet without upload references needs none of the agent's variables."""
    root = tmp_path / "fleet"
    (root / ".buildkite").mkdir(parents=True)
    (root / "areas").mkdir()
    (root / "templates").mkdir()
    (root / ".buildkite" / "pipegen.yaml").write_text("version: 1\nlanes: {cpu: {}}\nowners: {me: {}}\n")
    (root / ".buildkite" / "hardware.yaml").write_text(
        "hardware: {cpu: {title: CPU, lane: cpu, queue: cpu_queue, template: plain, depends_on: []}}\n"
    )
    (root / "areas" / "a.yaml").write_text(
        "group: G\nowner: me\nsteps:\n"
        "  - key: one\n    hardware: cpu\n    timeout_in_minutes: 5\n"
        "    env: {PRICE: '$5 $$ ${X}', PATH_TO: 'a\\\\$b'}\n"
        "    commands: ['echo \\$HOME ${#A[@]} $$ $1 $(date)']\n"
    )
    run = agent.upload(_document(root, app.Output(interpolation=False)), server=loopback, interpolation=False)
    assert run.status == 0, run.stderr
    (upload,) = loopback.build.uploads
    _same(upload.pipeline, pipeline_in_memory(root))


def _golden_cases() -> list[Path]:
    """The cases that give a pipeline; where nothing is selected there is a comment, and nothing to upload."""
    documents = sorted(GOLDEN.glob("*/expected.yaml"))
    return [path.parent for path in documents if not path.read_text(encoding="utf-8").startswith("#")]


def _filled_in(value: Plain, variables: Mapping[str, str]) -> Plain:
    """What the agent's interpolation leaves of every text, by the model that the agent itself is tested against."""
    match value:
        case str():
            return interpolate(value, variables)
        case Mapping():
            return {interpolate(name, variables): _filled_in(inner, variables) for name, inner in value.items()}
        case Sequence():
            return [_filled_in(inner, variables) for inner in value]
        case float() if value.is_integer():
            return int(value)  # a whole float64 is written as 1000 by Go
        case _:
            return value


@pytest.mark.parametrize("case", _golden_cases(), ids=lambda case: case.name)
def test_every_golden_pipeline_passes_the_agent_unchanged(agent: Agent, case: Path) -> None:
    document = (case / "expected.yaml").read_text(encoding="utf-8")
    arguments = case / "arguments.txt"
    interpolation = not arguments.exists() or "--no-interpolation" not in arguments.read_text(encoding="utf-8")
    variables = {"BUILDKITE_BUILD_NUMBER": "7"}
    run = agent.dry_run(document, interpolation=interpolation, env=variables)
    assert run.status == 0, run.stderr
    written = yaml.load(document, Loader=yaml.CSafeLoader)
    filled = _filled_in(written, variables) if interpolation else written
    assert isinstance(filled, Mapping)
    _same(run.pipeline, as_the_agent_shows(filled, {}))


def test_the_refusal_is_refused(agent: Agent) -> None:
    """A pipe without pipefail must not turn a failed generate into a green build."""
    for reason in ("3 errors", 'no such file: "x"', "a # b", "- x", "{a", 'it\'s "quoted"'):
        run = agent.dry_run(app.refusal(reason))
        assert run.status != 0, reason
