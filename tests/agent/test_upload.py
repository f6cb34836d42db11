"""`pipegen upload` with the real agent: what is in the build afterwards, and what its page says."""

import json
from pathlib import Path

import pytest
import yaml

from tests.support.agent import Agent
from tests.support.buildkite import rules
from tests.support.loopback import LoopbackServer, Operation, Status, Undocumented
from tests.support.repositories import Repository
from tests.support.uploads import Job, applied, check_dependencies, fleet, jobs_of
from tests.support.workspaces import ENGINE, TEMPLATE, WORKSPACE, workspace

pytestmark = pytest.mark.agent

STRANGER = Undocumented(names_last_key=True, groups_are_steps=False)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return workspace(tmp_path / "checkout", {"templates/plain.yaml.j2": TEMPLATE})


@pytest.fixture
def job(agent: Agent, root: Path) -> Job:
    return Job.of(agent, root)


def changes(root: Path, *files: str) -> tuple[str, str]:
    listed = root / "changes.txt"
    listed.write_text("".join(f"{file}\n" for file in files), encoding="utf-8")
    return "--changed-files", str(listed)


def test_a_pipeline_goes_up(job: Job, loopback: LoopbackServer) -> None:
    ran = job.upload(loopback, "--all")
    assert (ran.status, ran.stderr) == (0, "")
    assert ran.stdout == "part 1 of 1 is uploaded: 4 jobs\nuploaded 4 jobs (groups and gates counted) in 1 part\n"
    assert jobs_of(loopback.build.steps) == ("engine-core", "image-build")
    (annotation,) = loopback.build.annotations
    assert (annotation.context, annotation.style) == ("pipegen", "info")
    assert annotation.body == (
        "Uploaded in 1 part\\.\n\n**2 of 2 jobs run**\n\nBasis: every job was asked for\n\n"
        "| lane | run |\n| --- | ---: |\n| cuda | 1 |\n| cpu | 1 |\n"
    ).replace("\\.", ".")
    (artifact,) = loopback.build.artifacts
    assert artifact.content is not None
    kept = json.loads(artifact.content)
    assert [one["key"] for one in kept["plan"]["jobs"]] == ["engine-core", "image-build"]
    assert artifact.state == "finished"


def test_what_goes_up_is_what_generate_prints(job: Job, agent: Agent, loopback: LoopbackServer, root: Path) -> None:
    """Apart from the marker on the first group."""
    assert job.upload(loopback, "--all").status == 0
    first, *others = loopback.build.steps
    assert isinstance(first, dict)
    assert first.pop("key").startswith("pipegen-")
    made = job.upload(loopback, "--all", "--dry-run")
    assert made.status == 0
    dry = agent.dry_run(made.stdout, interpolation=False)
    assert rules.keys(dry.steps)[1:] == rules.keys([first, *others])


def test_dollars_belong_to_the_job(job: Job, root: Path) -> None:
    """Whether the agent fills in variables or not."""
    plain: dict[bool, object] = {}
    for interpolation in (False, True):
        text = ENGINE + "    env: {A: '$HOME ${Y:-z}', B: '{{ upload.BUILDKITE_LABEL }}'}\n"
        setting = f"upload: {{interpolation: {str(interpolation).lower()}}}\n"
        files = {"areas/engine.yaml": text, ".buildkite/pipegen.yaml": WORKSPACE + setting}
        workspace(root, {**files, "templates/plain.yaml.j2": TEMPLATE})
        with LoopbackServer() as server:
            ran = job.upload(server, "--all", env={"BUILDKITE_LABEL": "it's"})
            assert ran.status == 0, ran.stderr
            (step, _) = [s for s in rules.walk(server.build.steps) if isinstance(s, dict) and "command" in s]
            plain[interpolation] = step["env"]
    assert plain[False] == plain[True] == {"A": "$HOME ${Y:-z}", "B": "it's"}


def test_the_environment_cannot_make_it_another_upload(job: Job, loopback: LoopbackServer) -> None:
    spoiling = {
        "BUILDKITE_PIPELINE_UPLOAD_DRY_RUN": "true",
        "BUILDKITE_PIPELINE_REPLACE": "true",
        "BUILDKITE_AGENT_LOG_LEVEL": "fatal",
        "BUILDKITE_METADATA_BUILD_ID": "another",
        "BUILDKITE_ANNOTATION_APPEND": "true",
    }
    ran = job.upload(loopback, "--all", env=spoiling)
    assert ran.status == 0, ran.stderr
    assert [upload.replace for upload in applied(loopback.build)] == [False]


def test_problems_upload_nothing(job: Job, loopback: LoopbackServer, root: Path) -> None:
    workspace(root, {"areas/engine.yaml": ENGINE.replace("hardware: l4", "hardware: l5")})
    ran = job.upload(loopback, "--all")
    assert ran.status == 1
    assert "PG301" in ran.stderr
    assert ran.stderr.endswith("pipegen: nothing is uploaded: 1 error\n")
    assert ran.stdout == ""
    assert {request.operation for request in loopback.build.requests} == {Operation.META_DATA_EXISTS}


def test_nothing_selected_is_said_and_is_no_failure(job: Job, loopback: LoopbackServer, root: Path) -> None:
    workspace(
        root,
        {".buildkite/pipegen.yaml": WORKSPACE + "selection: {ignored: [docs/]}\n", "templates/plain.yaml.j2": TEMPLATE},
    )
    ran = job.upload(loopback, *changes(root, "docs/a.md"))
    assert ran.status == 0, ran.stderr
    assert ran.stdout.startswith("nothing to upload: ")
    (annotation,) = loopback.build.annotations
    assert "**no job runs**, since" in annotation.body
    assert loopback.build.uploads == ()
    assert len(loopback.build.artifacts) == 1


def test_the_annotation_tells_gates_and_unclassified_files(job: Job, loopback: LoopbackServer, root: Path) -> None:
    ran = job.upload(loopback, *changes(root, "nobody's `file`*.c"))
    assert ran.status == 0, ran.stderr
    (annotation,) = loopback.build.annotations
    assert annotation.style == "warning"
    assert "**0 of 2 jobs run**, 2 wait behind a gate" in annotation.body
    assert "**1 changed file that nothing is about**\n\n* ``nobody's `file`*.c``\n" in annotation.body
    assert jobs_of(loopback.build.steps)[0] == "block-engine-core"


def test_refused_by_buildkite(job: Job) -> None:
    """A key of the build that is not ours: its words, exit 1, and the page says so."""
    with LoopbackServer(running=[{"command": "true", "key": "image-build"}]) as server:
        ran = job.upload(server, "--all")
        assert ran.status == 1
        message = 'The key "image-build" has already been used by another step in this build'
        assert ran.stderr == f"pipegen: Buildkite refuses part 1 of 1: {message}\n"
        (annotation,) = server.build.annotations
        assert annotation.style == "error"
        assert annotation.body.startswith("**The upload stopped** at part 1 of 1: ")
        assert jobs_of(server.build.steps) == ("image-build",)


@pytest.mark.parametrize("undocumented", [Undocumented(), STRANGER], ids=["knows-groups", "tells-of-no-group"])
def test_a_single_job_whose_key_another_has_is_not_taken_for_uploaded(
    agent: Agent, root: Path, undocumented: Undocumented
) -> None:
    """Neither by the first attempt nor by the next one."""
    running = [{"command": "true", "key": "image-build"}]
    with LoopbackServer(running=running, undocumented=undocumented) as server:
        for _ in range(2):
            ran = Job.of(agent, root).upload(server, "--only", "image-build")
            assert ran.status == 1
            assert 'The key "image-build" has already been used' in ran.stderr
            server.retry_job()
        assert server.build.steps == tuple(running)


@pytest.mark.parametrize("asynchronous", [False, True], ids=["422", "rejected"])
def test_more_than_the_organisation_allows(agent: Agent, root: Path, asynchronous: bool) -> None:
    with LoopbackServer(jobs_per_upload=3, asynchronous=asynchronous) as server:
        ran = Job.of(agent, root).upload(server, "--all")
        assert ran.status == 1
        assert "exceeds your organization limit of 3" in ran.stderr
        assert server.build.steps == ()


def test_warnings_are_shown_whatever_becomes_of_the_upload(job: Job, root: Path) -> None:
    with LoopbackServer(faults=[Status(status=404, message="gone")]) as server:
        ran = job.upload(server, *changes(root, "nobody.c"))
        assert ran.status == 3
        assert ran.stderr.index("nobody.c") < ran.stderr.index("gone")


def test_two_calls_with_different_options_are_two_uploads(job: Job, loopback: LoopbackServer) -> None:
    assert job.upload(loopback, "--only", "image-build").status == 0
    workspace(job.root, {"areas/engine.yaml": ENGINE + "    depends_on: []\n", "templates/plain.yaml.j2": TEMPLATE})
    assert job.upload(loopback, "--only", "engine-core").status == 0
    assert jobs_of(loopback.build.steps) == ("image-build", "engine-core")
    assert job.upload(loopback, "--only", "engine-core").status == 0
    assert jobs_of(loopback.build.steps) == ("image-build", "engine-core")


def test_1200_jobs_go_up_in_three_parts(agent: Agent, tmp_path: Path, loopback: LoopbackServer) -> None:
    job = Job.of(agent, fleet(tmp_path / "fleet", groups=12, jobs=100))
    ran = job.upload(loopback, "--all")
    assert (ran.status, ran.stderr) == (0, "")
    build = loopback.build
    assert len(applied(build)) == len(build.uploads) == 3
    assert len(set(jobs_of(build.steps))) == len(jobs_of(build.steps)) == 1201
    check_dependencies(build)
    assert all(rules.job_count(upload.steps) <= 500 for upload in build.uploads)
    names = [step["group"] for upload in build.uploads for step in upload.steps if isinstance(step, dict)]
    assert len(names) == len(set(names)) == 13
    assert "Uploaded in 3 parts." in build.annotations[0].body


def test_dry_run_prints_the_parts_and_asks_nobody(agent: Agent, tmp_path: Path) -> None:
    job = Job.of(agent, fleet(tmp_path / "fleet", groups=4, jobs=3, jobs_per_upload=8))
    with LoopbackServer() as server:
        ran = job.upload(server, "--all", "--dry-run")
        assert (ran.status, ran.stderr) == (0, "")
        assert ran.stdout.startswith("# part 1 of 3: 6 jobs\n{")
        documents = list(yaml.safe_load_all(ran.stdout))
        assert server.build.requests == ()
        assert job.upload(server, "--all").status == 0
        assert [document["steps"] for document in documents] == [list(upload.steps) for upload in server.build.uploads]


def test_the_annotation_tells_new_edited_and_removed_jobs(
    agent: Agent, tmp_path: Path, loopback: LoopbackServer
) -> None:
    """Against the merge base with the base branch, in a real repository; a renamed job is none of them."""
    repository = Repository.create(tmp_path / "checkout")
    more = "  {}:\n    tests: [{}/]\n    hardware: l4\n    timeout_in_minutes: 5\n"
    areas = ENGINE + "".join(more.format(name, name) for name in ("gone", "old_name", "same"))
    workspace(repository.path, {"areas/engine.yaml": areas, "templates/plain.yaml.j2": TEMPLATE})
    repository.commit()
    repository.branch("topic")
    renamed = more.format("new_name", "new_name") + "    was: [old-name]\n"
    edited = ENGINE.replace("timeout_in_minutes: 30", "timeout_in_minutes: 31")
    areas = edited + more.format("same", "same") + more.format("fresh", "fresh") + renamed
    workspace(repository.path, {"areas/engine.yaml": areas, "templates/plain.yaml.j2": TEMPLATE})
    repository.commit()
    ran = Job.of(agent, repository.path).upload(loopback, "--base", "main")
    assert ran.status == 0, ran.stderr
    (annotation,) = loopback.build.annotations
    assert annotation.body.endswith(
        "**1 new job**\n\n* `fresh`\n\n"
        "**2 edited jobs**\n\n* `engine-core` changed in timeout\\_in\\_minutes\n"
        '* `new-name` is new under this name, it was "old\\-name"\n\n'
        "**1 removed job**\n\n* `gone`\n"
    )


def test_each_of_several_pipelines_has_its_annotation(job: Job, loopback: LoopbackServer, root: Path) -> None:
    several = WORKSPACE + "pipelines: {ci: {}, other: {areas: [elsewhere/]}}\n"
    other = (
        "group: Other\nsteps: [{key: other, hardware: cpu, timeout_in_minutes: 5, commands: [make], depends_on: []}]\n"
    )
    workspace(
        root,
        {".buildkite/pipegen.yaml": several, "elsewhere/a.yaml": other, "templates/plain.yaml.j2": TEMPLATE},
    )
    for pipeline in ("ci", "other"):
        assert job.upload(loopback, "--all", "--pipeline", pipeline).status == 0
    notes = {note.context: note.body.splitlines()[2] for note in loopback.build.annotations}
    assert notes == {
        "pipegen-ci": "Pipeline `ci`: **2 of 2 jobs run**",
        "pipegen-other": "Pipeline `other`: **1 of 1 job runs**",
    }
    assert jobs_of(loopback.build.steps) == ("engine-core", "image-build", "other")


def test_the_agent_takes_an_annotation_that_was_cut(job: Job, loopback: LoopbackServer, root: Path) -> None:
    ran = job.upload(loopback, *changes(root, *(f"{at:06}{'ü' * 100}.c" for at in range(6_000))))
    assert ran.status == 0, ran.stderr
    assert "no annotation" not in ran.stdout
    (annotation,) = loopback.build.annotations
    assert len(annotation.body.encode()) > (1 << 20) - 400
    assert annotation.body.endswith("the artifact has the whole plan.\n")


@pytest.mark.parametrize("words", [("--deadline", "0"), ("--deadline", "soon"), ("--all", "--only", "engine-core")])
def test_wrong_usage(job: Job, loopback: LoopbackServer, words: tuple[str, ...]) -> None:
    ran = job.upload(loopback, *words)
    assert (ran.status, ran.stdout) == (2, "")
    assert loopback.build.uploads == ()
