"""What can go wrong between an agent and Buildkite, as data for the loopback server."""

import enum
from dataclasses import dataclass
from typing import ClassVar, TypeAlias


class Operation(enum.Enum):
    """What a request asks for."""

    UPLOAD = "upload a pipeline"
    POLL = "ask what became of an upload"
    ANNOTATE = "annotate"
    REMOVE_ANNOTATION = "remove an annotation"
    SET_META_DATA = "set meta-data"
    SET_META_DATA_BATCH = "set several meta-data"
    GET_META_DATA = "get meta-data"
    META_DATA_EXISTS = "ask whether meta-data exist"
    META_DATA_KEYS = "list meta-data"
    CREATE_ARTIFACTS = "announce artifacts"
    STORE_ARTIFACT = "send an artifact's bytes"
    UPDATE_ARTIFACTS = "say that artifacts were sent"
    SEARCH_ARTIFACTS = "search artifacts"
    FETCH_ARTIFACT = "fetch an artifact's bytes"
    EXPORT_STEP = "ask for a step"


@dataclass(frozen=True, slots=True, kw_only=True)
class Normal:
    """No fault: lets one request through, so that a later fault hits the next one."""

    on: Operation = Operation.UPLOAD


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """An answer of this HTTP status. The request takes effect only where `applied`."""

    status: int
    message: str = ""
    on: Operation = Operation.UPLOAD
    applied: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset:
    """The connection is reset instead of an answer; before that, the request takes effect where `applied`."""

    on: Operation = Operation.UPLOAD
    applied: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Hang:
    """No answer until the client gives up (the agent does after 60 s) or is killed, or the server stops."""

    on: Operation = Operation.UPLOAD
    applied: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Late:
    """202; the next `polls` polls say `processing`, and only then the upload is applied or rejected."""

    polls: int
    on: ClassVar[Operation] = Operation.UPLOAD


@dataclass(frozen=True, slots=True, kw_only=True)
class Stuck:
    """202; every poll says `processing`, and the upload is never applied. The agent gives up after 60 polls."""

    on: ClassVar[Operation] = Operation.UPLOAD


Fault: TypeAlias = Normal | Status | Reset | Hang | Late | Stuck
