"""The loopback Buildkite, met by the real agent: what later tests take for granted of both."""

import hashlib
import json
import os
import re
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.support.agent import Agent
from tests.support.loopback import (
    Hang,
    Late,
    LoopbackServer,
    Normal,
    Operation,
    Reset,
    Status,
    Stuck,
    Undocumented,
    UploadState,
)

pytestmark = pytest.mark.agent

TWO_STEPS = """\
steps:
  - {label: ":rocket: one", key: one, command: "echo '<&>' \\\\$HOME"}
  - {group: more, key: more, steps: [{key: two, command: make two}]}
"""


def keyed(*keys: str) -> str:
    return json.dumps({"steps": [{"command": "true", "key": key} for key in keys]})


def test_dry_run_reads_a_pipeline_as_the_agent_does(agent: Agent) -> None:
    run = agent.dry_run(TWO_STEPS)
    assert run.status == 0, run.stderr
    assert run.pipeline is not None
    assert run.pipeline["steps"] == [
        {"command": "echo '<&>' $HOME", "key": "one", "label": ":rocket: one"},
        {"group": "more", "key": "more", "steps": [{"command": "make two", "key": "two"}]},
    ]
    assert agent.dry_run(keyed("a") + "\n---\n" + keyed("b")).steps == (
        {"command": "true", "key": "a"},
        {"command": "true", "key": "b"},
    )


def test_dry_run_shows_only_the_given_environment(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AMBIENT", "seen")
    text = "steps: [{command: 'echo $AMBIENT-$GIVEN-$PATH'}]"
    given = agent.dry_run(text, env={"GIVEN": "given", "PATH": ""})
    assert given.steps == ({"command": "echo -given-"},)
    assert agent.dry_run(text, interpolation=False).steps == ({"command": "echo $AMBIENT-$GIVEN-$PATH"},)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("steps: [{label: x}]", "cannot infer step type"),
        ("env: {DEPLOY_TOKEN: abcdefgh}\nsteps: [{command: a}]", "DEPLOY_TOKEN"),
        ("steps: {", "pipeline parsing"),
    ],
    ids=["warning", "secret", "syntax"],
)
def test_dry_run_refuses(agent: Agent, text: str, complaint: str) -> None:
    run = agent.dry_run(text)
    assert run.status == 1
    assert run.pipeline is None
    assert complaint in run.stderr


@pytest.mark.parametrize("asynchronous", [False, True], ids=["200", "202"])
def test_upload_is_applied(agent: Agent, asynchronous: bool) -> None:
    with LoopbackServer(asynchronous=asynchronous) as server:
        run = agent.upload(TWO_STEPS, server=server)
        assert run.status == 0, run.stderr
        build = server.build
    assert build.keys == ("one", "more", "two")
    assert [(upload.state, upload.replace, upload.posts) for upload in build.uploads] == [
        (UploadState.APPLIED, False, 1)
    ]
    assert build.steps == build.uploads[0].steps == agent.dry_run(TWO_STEPS).steps
    assert [request.status for request in build.requests] == ([202, 200] if asynchronous else [200])
    (posted,) = build.asked(Operation.UPLOAD)
    assert re.match(r"buildkite-agent/3\.", posted.headers["user-agent"])
    assert posted.headers["authorization"].startswith("Token ")
    assert dict(posted.query) == {"async": "true"}


@pytest.mark.parametrize("asynchronous", [False, True], ids=["422", "rejected"])
def test_rejection_reaches_the_user(agent: Agent, asynchronous: bool) -> None:
    message = 'The key "a" has already been used by another step in this build'
    with LoopbackServer(asynchronous=asynchronous) as server:
        assert agent.upload(keyed("a", "b"), server=server).status == 0
        run = agent.upload(keyed("c", "a"), server=server)
        assert run.status == 1
        assert message in run.stderr
        assert server.build.keys == ("a", "b")
        assert [upload.message for upload in server.build.uploads] == ["", message]


def test_key_of_the_uploading_step_is_taken(agent: Agent) -> None:
    with LoopbackServer(running=[{"command": "pipegen upload", "key": "bootstrap"}]) as server:
        for replace in (False, True):
            run = agent.upload(keyed("bootstrap"), server=server, replace=replace)
            assert run.status == 1
            assert 'The key "bootstrap" has already been used' in run.stderr
        assert server.build.keys == ("bootstrap",)


def test_replace_frees_the_keys_of_what_it_removes(agent: Agent, loopback: LoopbackServer) -> None:
    assert agent.upload(keyed("a", "b"), server=loopback).status == 0
    run = agent.upload(keyed("b"), server=loopback, replace=True)
    assert run.status == 0, run.stderr
    assert loopback.build.keys == ("b",)


def test_documents_of_a_stream_are_uploads(agent: Agent, loopback: LoopbackServer) -> None:
    run = agent.upload(keyed("a") + "\n---\n" + keyed("b"), server=loopback)
    assert run.status == 0, run.stderr
    assert [upload.pipeline["steps"] for upload in loopback.build.uploads] == [
        [{"command": "true", "key": "a"}],
        [{"command": "true", "key": "b"}],
    ]


def test_late_upload_is_polled_for(agent: Agent) -> None:
    with LoopbackServer(faults=[Late(polls=3)]) as server:
        assert agent.upload(keyed("a"), server=server).status == 0
        assert len(server.build.asked(Operation.POLL)) == 4
        assert server.build.keys == ("a",)


def test_stuck_upload_fails(agent: Agent) -> None:
    with LoopbackServer(faults=[Stuck()]) as server:
        run = agent.upload(keyed("a"), server=server)
        assert run.status == 1
        assert "not yet applied: processing" in run.stderr
        assert server.build.steps == ()
        assert [upload.state for upload in server.build.uploads] == [UploadState.PROCESSING]


@pytest.mark.parametrize("status", [401, 404, 422])
def test_client_errors_are_final(agent: Agent, status: int) -> None:
    with LoopbackServer(faults=[Status(status=status, message="not today")]) as server:
        run = agent.upload(keyed("a"), server=server)
        assert run.status == 1
        assert "not today" in run.stderr
        assert len(server.build.requests) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    [
        Status(status=500),
        Status(status=429),
        Status(status=500, applied=True),
        Reset(),
        Reset(applied=True),
        Reset(on=Operation.POLL),
    ],
    ids=["500", "429", "500-applied", "reset", "reset-applied", "reset-poll"],
)
def test_agent_retries_and_nothing_is_applied_twice(agent: Agent, fault: Status | Reset) -> None:
    with LoopbackServer(faults=[fault]) as server:
        run = agent.upload(keyed("a"), server=server)
        assert run.status == 0, run.stderr
        build = server.build
    assert build.keys == ("a",)
    again = fault.on is Operation.UPLOAD
    assert [upload.posts for upload in build.uploads] == [2 if again and fault.applied else 1]
    assert len(build.asked(Operation.UPLOAD)) == (2 if again else 1)
    assert build.requests[0 if again else 1].status == (fault.status if isinstance(fault, Status) else None)


def test_fault_can_be_for_the_second_upload(agent: Agent) -> None:
    with LoopbackServer(faults=[Normal(), Status(status=422, message="full")]) as server:
        assert agent.upload(keyed("a"), server=server).status == 0
        assert agent.upload(keyed("b"), server=server).status == 1
        assert server.build.keys == ("a",)


@pytest.mark.parametrize("applied", [False, True])
def test_hang_lasts_until_the_client_gives_up(applied: bool) -> None:
    with LoopbackServer(faults=[Hang(applied=applied)]) as server:
        with pytest.raises(TimeoutError):
            ask(server, "POST", f"/v3/jobs/{job(server)}/pipelines?async=true", upload_body("u1", "a"), timeout=0.3)
        assert server.build.keys == (("a",) if applied else ())
        assert [request.status for request in server.build.requests] == [None]


def test_fault_that_nothing_meets_is_an_error() -> None:
    with pytest.raises(AssertionError, match="no request met"), LoopbackServer(faults=[Status(status=500)]):
        pass


def test_annotations(agent: Agent, loopback: LoopbackServer) -> None:
    def annotate(*arguments: str) -> None:
        run = agent.run("annotate", *arguments, "--no-color", server=loopback)
        assert run.status == 0, run.stderr

    annotate("one <&> ", "--style", "warning", "--context", "plan.a/b", "--priority", "7")
    annotate("two", "--context", "plan.a/b", "--append")
    annotate("alone")
    shown = [(note.context, note.style, note.body) for note in loopback.build.annotations]
    assert shown == [("plan.a/b", "warning", "one <&> two"), ("default", "", "alone")]
    remove = ("annotation", "remove", "--context", "plan.a/b", "--no-color")
    assert agent.run(*remove, server=loopback).status == 0
    assert [note.context for note in loopback.build.annotations] == ["default"]
    assert agent.run(*remove, server=loopback).status == 1


def test_annotation_from_standard_input_is_retried(agent: Agent) -> None:
    with LoopbackServer(faults=[Status(status=503, on=Operation.ANNOTATE)]) as server:
        run = agent.run("annotate", "--context", "c", stdin="text", server=server)
        assert run.status == 0, run.stderr
        assert [note.body for note in server.build.annotations] == ["text"]
        assert [request.status for request in server.build.requests] == [503, 201]


def test_meta_data(agent: Agent, loopback: LoopbackServer) -> None:
    def meta_data(*arguments: str) -> tuple[int, str]:
        run = agent.run("meta-data", *arguments, "--no-color", server=loopback)
        return run.status, run.stdout

    assert meta_data("exists", "pipegen:plan") == (100, "")
    assert meta_data("get", "pipegen:plan")[0] == 1
    assert meta_data("get", "pipegen:plan", "--default", "none") == (0, "none")
    assert meta_data("set", "pipegen:plan", "a b <c>") == (0, "")
    assert meta_data("exists", "pipegen:plan") == (0, "")
    assert meta_data("get", "pipegen:plan") == (0, "a b <c>")
    assert meta_data("set", "other", "1") == (0, "")
    assert meta_data("keys") == (0, "pipegen:plan\nother\n")
    assert loopback.build.meta_data == {"pipegen:plan": "a b <c>", "other": "1"}


def test_artifacts(agent: Agent, loopback: LoopbackServer, tmp_path: Path) -> None:
    contents = {"logs/a.log": b"\r\n--x\r\n\x00\xff", "logs/deep/b.log": b"", "é.txt": os.urandom(100_000)}
    for name, content in contents.items():
        path = agent.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    run = agent.run("artifact", "upload", "logs/**/*.log;*.txt", "--no-color", server=loopback)
    assert run.status == 0, run.stderr
    assert {item.path: (item.state, item.content) for item in loopback.build.artifacts} == {
        name: ("finished", content) for name, content in contents.items()
    }
    assert all("authorization" not in sent.headers for sent in loopback.build.asked(Operation.STORE_ARTIFACT))

    search = ("artifact", "search", "--no-color", "--format", r"%p %T\n")
    found = agent.run(*search, "logs/**", server=loopback)
    assert sorted(found.stdout.splitlines()) == [
        f"{name} {hashlib.sha256(contents[name]).hexdigest()}" for name in ("logs/a.log", "logs/deep/b.log")
    ]

    target = tmp_path / "downloaded"
    target.mkdir()
    run = agent.run("artifact", "download", "**", str(target), "--no-color", server=loopback)
    assert run.status == 0, run.stderr
    assert {name: (target / name).read_bytes() for name in contents} == contents


def test_artifacts_of_a_retried_job_are_found_when_asked_for(agent: Agent, loopback: LoopbackServer) -> None:
    (agent.home / "a.log").write_text("first", encoding="utf-8")
    assert agent.run("artifact", "upload", "a.log", server=loopback).status == 0
    first = job(loopback)
    loopback.retry_job()
    assert job(loopback) != first
    search = ("artifact", "search", "a.log", "--allow-empty-results", "--format", r"%p %j\n")
    assert agent.run(*search, server=loopback).stdout == ""
    assert agent.run(*search, "--include-retried-jobs", server=loopback).stdout == f"a.log {first}\n"
    (agent.home / "a.log").write_text("second", encoding="utf-8")
    assert agent.run("artifact", "upload", "a.log", server=loopback).status == 0
    assert agent.run(*search, server=loopback).stdout == f"a.log {job(loopback)}\n"


@pytest.mark.parametrize("groups", [False, True])
def test_steps_are_told(agent: Agent, groups: bool) -> None:
    with LoopbackServer(undocumented=Undocumented(groups_are_steps=groups)) as server:
        assert agent.upload(TWO_STEPS, server=server, interpolation=False).status == 0
        found = agent.run("step", "get", "label", "--step", "one", server=server)
        assert (found.status, found.stdout.strip()) == (0, ":rocket: one")
        found = agent.run("step", "get", "--step", "two", "--format", "json", server=server)
        assert json.loads(found.stdout) == {"command": "make two", "key": "two"}
        assert agent.run("step", "get", "--step", "more", "--format", "json", server=server).status == (
            0 if groups else 1
        )
        lost = agent.run("step", "get", "--step", "three", "--format", "json", server=server)
        assert lost.status == 1
        assert "404 Not Found" in lost.stderr


def test_which_used_key_is_named_is_nobodys_promise(agent: Agent) -> None:
    for last, key in ((False, "a"), (True, "c")):
        with LoopbackServer(undocumented=Undocumented(names_last_key=last)) as server:
            assert agent.upload(keyed("a", "b", "c"), server=server).status == 0
            run = agent.upload(keyed("a", "b", "c"), server=server)
            assert f'The key "{key}" has already been used' in run.stderr


def test_requests_without_the_token_are_refused(loopback: LoopbackServer) -> None:
    loopback.plan(Status(status=500))
    path = f"/v3/jobs/{job(loopback)}/pipelines"
    assert ask(loopback, "POST", path, upload_body("u1", "a"), token="wrong")[0] == 401
    assert loopback.build.uploads == ()
    assert ask(loopback, "POST", path, upload_body("u1", "a"))[0] == 500  # the fault waited for a welcome request


def test_same_uuid_is_applied_once(loopback: LoopbackServer) -> None:
    path = f"/v3/jobs/{job(loopback)}/pipelines"
    assert [ask(loopback, "POST", path, upload_body("u1", "a"))[0] for _ in range(2)] == [202, 202]
    assert ask(loopback, "GET", f"{path}/u1") == (200, {"state": "applied", "message": ""})
    assert loopback.build.keys == ("a",)
    assert ask(loopback, "POST", path, upload_body("u2", "a"))[0] == 202
    status, told = ask(loopback, "GET", f"{path}/u2")
    assert (status, told["state"]) == (200, "rejected")
    assert ask(loopback, "GET", f"{path}/u3")[0] == 404


def test_meta_data_batch_is_set_whole_or_not_at_all(loopback: LoopbackServer) -> None:
    path = f"/v3/jobs/{job(loopback)}/data/set-batch"
    good, blank = {"key": "k", "value": "v"}, {"key": "b", "value": " "}
    assert ask(loopback, "POST", path, {"items": [good, blank]})[0] == 422
    assert loopback.build.meta_data == {}
    assert ask(loopback, "POST", path, {"items": [good]})[0] == 200
    assert loopback.build.meta_data == {"k": "v"}


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/v3/jobs/other/pipelines", 404),
        ("GET", "/v3/builds/other/artifacts/search?query=x", 404),
        ("PATCH", "/v3/jobs", 501),
        ("POST", "/v3/nothing", 404),
        ("POST", "/v3/jobs/JOB/pipelines", 400),
    ],
)
def test_what_the_server_does_not_know(loopback: LoopbackServer, method: str, path: str, status: int) -> None:
    assert ask(loopback, method, path.replace("JOB", job(loopback)), [])[0] == status


def job(server: LoopbackServer) -> str:
    return server.environment["BUILDKITE_JOB_ID"]


def upload_body(uuid: str, key: str) -> object:
    return {"uuid": uuid, "pipeline": {"steps": [{"command": "true", "key": key}]}}


def ask(
    server: LoopbackServer,
    method: str,
    path: str,
    body: object = None,
    *,
    token: str | None = None,
    timeout: float = 10,
) -> tuple[int, dict[str, object]]:
    """One request from something that is not the agent: the status, and the JSON that came with it."""
    request = urllib.request.Request(
        server.origin + path,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Token {token or server.environment['BUILDKITE_AGENT_ACCESS_TOKEN']}"},
        method=method,
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=timeout) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as refused:
        with refused:
            text = refused.read()
            return refused.code, json.loads(text) if text.startswith(b"{") else {}
