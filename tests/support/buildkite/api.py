"""What a loopback Buildkite does with a request: the agent's part of the API, on one build."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from pipegen.plain import PlainMap
from tests.support.buildkite.artifacts import MAX_BATCH, Artifact, Artifacts, artifact_id
from tests.support.buildkite.faults import Operation
from tests.support.buildkite.messages import (
    STORAGE,
    Answer,
    BadRequestError,
    Received,
    items,
    mapping,
    number,
    text,
)
from tests.support.buildkite.notes import Annotation, Notes
from tests.support.buildkite.pipelines import Pipelines, Upload, UploadState

NO_WAIT = {"Retry-After": "0"}  # seconds: the agent would wait for 1 before the first poll, for 5 between polls
CREATED_AT = "2026-01-01T00:00:00Z"  # one time for all artifacts: no test depends on the clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The ids and the token that a job's requests must carry, and where the server is."""

    origin: str
    job_id: str
    build_id: str
    token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Undocumented:
    """What no source says of Buildkite, one way or the other.

    `names_last_key`: of several used keys a rejection names the last. `groups_are_steps`: `step get` knows groups.
    """

    names_last_key: bool = False
    groups_are_steps: bool = True


class Api:
    """The state of one build, and the answers to requests about it. Not safe for threads."""

    def __init__(
        self,
        identity: Identity,
        *,
        asynchronous: bool,
        running: Iterable[PlainMap],
        jobs_per_upload: int,
        undocumented: Undocumented,
    ) -> None:
        self._identity = identity
        self._asynchronous = asynchronous
        self._undocumented = undocumented
        self.jobs = [identity.job_id]
        """The attempts of the job that uploads; all but the last are retried ones, whose agents may still speak."""
        self.pipelines = Pipelines(
            running=running, jobs_per_upload=jobs_per_upload, from_the_end=undocumented.names_last_key
        )
        self.notes = Notes()
        self.artifacts = Artifacts()

    def refusal(self, received: Received) -> Answer | None:
        """The answer to a request that no job of this build may make, or that nobody can; None: it may be answered."""
        operation, names = received.route
        if operation not in STORAGE and received.headers.get("authorization") != f"Token {self._identity.token}":
            return _problem(401, "Please supply a valid access token")
        if operation is None:
            return _problem(404, f"No route for {received.method} {received.target}")
        if names.get("job", self._identity.job_id) not in self.jobs:
            return _problem(404, "No job found")
        if names.get("build", self._identity.build_id) != self._identity.build_id:
            return _problem(404, "No build found")
        return None

    def answer(self, received: Received, *, polls: int | None = 0) -> Answer:
        """Do what a request asks for; `polls`: see `Pipelines.receive`."""
        refused = self.refusal(received)
        if refused is not None:
            return refused
        try:
            match received.operation:
                case Operation.UPLOAD:
                    return self._upload(received, polls=polls)
                case Operation.POLL | Operation.EXPORT_STEP:
                    return self._told(received)
                case Operation.ANNOTATE | Operation.REMOVE_ANNOTATION:
                    return self._annotation(received)
                case Operation.SET_META_DATA | Operation.SET_META_DATA_BATCH:
                    return self._set_meta_data(received)
                case Operation.GET_META_DATA | Operation.META_DATA_EXISTS | Operation.META_DATA_KEYS:
                    return self._read_meta_data(received)
                case _:
                    return self._artifact(received)
        except (BadRequestError, ValueError, KeyError) as problem:
            return _problem(400, str(problem))

    def _upload(self, received: Received, *, polls: int | None) -> Answer:
        body = mapping(received.json)
        upload = self.pipelines.receive(
            Upload(
                uuid=text(body, "uuid"),
                job_id=received.route[1]["job"],
                pipeline=mapping(body.get("pipeline")),
                replace=body.get("replace") is True,
            ),
            polls=polls,
        )
        if self._asynchronous or upload.state is UploadState.PROCESSING:
            status = f"{self._identity.origin}/v3/jobs/{upload.job_id}/pipelines/{upload.uuid}"
            return Answer(status=202, headers={"Location": status, **NO_WAIT})
        if upload.state is UploadState.REJECTED:
            return _problem(422, upload.message)
        return Answer()

    def _told(self, received: Received) -> Answer:
        if received.operation is Operation.EXPORT_STEP:
            return self._step(received)
        upload = self.pipelines.poll(received.route[1]["uuid"])
        if upload is None:
            return _problem(404, "No pipeline upload found")
        return Answer(content={"state": upload.state.value, "message": upload.message}, headers=NO_WAIT)

    def _step(self, received: Received) -> Answer:
        body = mapping(received.json)
        if text(body, "build_id") != self._identity.build_id:
            return _problem(404, "No build found")
        step = self.pipelines.find(received.route[1]["step"], groups=self._undocumented.groups_are_steps)
        if step is None:
            return _problem(404, "No step found")
        attribute = text(body, "attribute")
        shown = step if not attribute else mapping(step).get(attribute)
        return Answer(content={"output": json.dumps(shown) if text(body, "format") == "json" else str(shown)})

    def _annotation(self, received: Received) -> Answer:
        operation, names = received.route
        if operation is Operation.REMOVE_ANNOTATION:
            scope = received.query.get("scope", "build")
            removed = self.notes.remove(scope=scope, context=names["context"])
            return Answer() if removed else _problem(404, "No annotation found")
        body = mapping(received.json)
        annotation = Annotation(
            body=text(body, "body"),
            context=text(body, "context") or "default",
            style=text(body, "style"),
            priority=number(body, "priority", 3),
            scope=text(body, "scope") or "build",
        )
        if annotation.fault is not None:
            return _problem(422, annotation.fault)
        self.notes.annotate(annotation, append=body.get("append") is True)
        return Answer(status=201)

    def _set_meta_data(self, received: Received) -> Answer:
        body = mapping(received.json)
        batch = received.operation is Operation.SET_META_DATA_BATCH
        pairs = items(body.get("items")) if batch else (body,)
        fault = self.notes.set({text(pair, "key"): text(pair, "value") for pair in pairs})
        return Answer() if fault is None else _problem(422, fault)

    def _read_meta_data(self, received: Received) -> Answer:
        known = self.notes.meta_data
        if received.operation is Operation.META_DATA_KEYS:
            return Answer(content=list(known))
        key = text(mapping(received.json), "key")
        if received.operation is Operation.META_DATA_EXISTS:
            return Answer(content={"exists": key in known})
        if key not in known:
            return _problem(404, f"No key found: {key}")
        return Answer(content={"key": key, "value": known[key]})

    def _artifact(self, received: Received) -> Answer:
        operation, names = received.route
        match operation:
            case Operation.CREATE_ARTIFACTS:
                return self._create_artifacts(mapping(received.json), names["job"])
            case Operation.STORE_ARTIFACT:
                batch, _, path = received.form["key"].decode().partition("/")
                stored = self.artifacts.store(batch=batch, path=path, content=received.form["file"])
                return Answer(status=204, content=b"") if stored else _problem(403, "No such artifact")
            case Operation.UPDATE_ARTIFACTS:
                states = items(mapping(received.json).get("artifacts"))
                fault = self.artifacts.update([(text(state, "id"), text(state, "state")) for state in states])
                return Answer() if fault is None else _problem(422, fault)
            case Operation.SEARCH_ARTIFACTS:
                return self._search(received)
            case _:
                artifact = self.artifacts.get(names["artifact"])
                if artifact is None or artifact.content is None:
                    return _problem(404, "No artifact found")
                return Answer(content=artifact.content, headers={"Content-Type": artifact.content_type})

    def _create_artifacts(self, body: PlainMap, job_id: str) -> Answer:
        batch = text(body, "id")
        announced = tuple(
            Artifact(
                id=artifact_id(batch, index),
                batch=batch,
                job_id=job_id,
                path=text(entry, "path"),
                absolute_path=text(entry, "absolute_path"),
                file_size=number(entry, "file_size", 0),
                sha1sum=text(entry, "sha1sum"),
                sha256sum=text(entry, "sha256sum"),
                content_type=text(entry, "content_type"),
            )
            for index, entry in enumerate(items(body.get("artifacts")))
        )
        if len(announced) > MAX_BATCH:
            return _problem(422, f"at most {MAX_BATCH} artifacts can be created at once")
        self.artifacts.create(announced)
        action: PlainMap = {
            "url": self._identity.origin,
            "method": "POST",
            "path": "/storage",
            "file_input": "file",
        }
        return Answer(
            status=201,
            content={
                "id": batch,
                "artifact_ids": [artifact.id for artifact in announced],
                "upload_instructions": {"data": {"key": batch + "/${artifact:path}"}, "action": action},
            },
        )

    def _search(self, received: Received) -> Answer:
        query = received.query
        found = self.artifacts.search(
            query=query.get("query", ""),
            job_id=query.get("scope", ""),
            state=query.get("state", ""),
            duplicates=query.get("include_duplicates") == "true",
            retried=() if query.get("include_retried_jobs") == "true" else self.jobs[:-1],
        )
        return Answer(content=[self._described(artifact) for artifact in found])

    def _described(self, artifact: Artifact) -> PlainMap:
        return {
            "id": artifact.id,
            "job_id": artifact.job_id,
            "path": artifact.path,
            "absolute_path": artifact.absolute_path,
            "file_size": artifact.file_size,
            "sha1sum": artifact.sha1sum,
            "sha256sum": artifact.sha256sum,
            "created_at": CREATED_AT,
            "url": f"{self._identity.origin}/storage/{artifact.id}",
        }


def _problem(status: int, message: str) -> Answer:
    return Answer(status=status, content={"message": message})
