"""Requests to a loopback Buildkite and its answers, without sockets."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit

from pipegen.plain import Plain, PlainMap
from tests.support.buildkite.faults import Operation

_ROUTES: tuple[tuple[str, str, Operation], ...] = (
    ("POST", "/v3/jobs/{job}/pipelines", Operation.UPLOAD),
    ("GET", "/v3/jobs/{job}/pipelines/{uuid}", Operation.POLL),
    ("POST", "/v3/jobs/{job}/annotations", Operation.ANNOTATE),
    ("DELETE", "/v3/jobs/{job}/annotations/{context}", Operation.REMOVE_ANNOTATION),
    ("POST", "/v3/jobs/{job}/data/set", Operation.SET_META_DATA),
    ("POST", "/v3/jobs/{job}/data/set-batch", Operation.SET_META_DATA_BATCH),
    ("POST", "/v3/jobs/{job}/data/get", Operation.GET_META_DATA),
    ("POST", "/v3/builds/{build}/data/get", Operation.GET_META_DATA),
    ("POST", "/v3/jobs/{job}/data/exists", Operation.META_DATA_EXISTS),
    ("POST", "/v3/builds/{build}/data/exists", Operation.META_DATA_EXISTS),
    ("POST", "/v3/jobs/{job}/data/keys", Operation.META_DATA_KEYS),
    ("POST", "/v3/builds/{build}/data/keys", Operation.META_DATA_KEYS),
    ("POST", "/v3/jobs/{job}/artifacts", Operation.CREATE_ARTIFACTS),
    ("PUT", "/v3/jobs/{job}/artifacts", Operation.UPDATE_ARTIFACTS),
    ("GET", "/v3/builds/{build}/artifacts/search", Operation.SEARCH_ARTIFACTS),
    ("POST", "/storage", Operation.STORE_ARTIFACT),
    ("GET", "/storage/{artifact}", Operation.FETCH_ARTIFACT),
    ("POST", "/v3/steps/{step}/export", Operation.EXPORT_STEP),
)
ROUTES = tuple(
    (method, re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path)), operation) for method, path, operation in _ROUTES
)
STORAGE = frozenset({Operation.STORE_ARTIFACT, Operation.FETCH_ARTIFACT})
"""Requests to the artifact store, which the agent makes without its token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A request that the server got.

    `target` is path and query as sent; header names are in lower case; `status` is what was answered, None where the
    connection ended without an answer.
    """

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes
    status: int | None = None

    @property
    def query(self) -> Mapping[str, str]:
        """The parameters after the `?`."""
        return dict(parse_qsl(urlsplit(self.target).query))

    @property
    def json(self) -> Plain:
        """The body, which must be JSON."""
        value: Plain = json.loads(self.body)
        return value

    @property
    def route(self) -> tuple[Operation | None, Mapping[str, str]]:
        """What it asks for, and the parts of the path that say of what. None for what the server does not know."""
        path = urlsplit(self.target).path
        for method, pattern, operation in ROUTES:
            found = pattern.fullmatch(path)
            if method == self.method and found is not None:
                return operation, {name: unquote(text) for name, text in found.groupdict().items()}
        return None, {}

    @property
    def operation(self) -> Operation | None:
        """What it asks for."""
        return self.route[0]

    @property
    def form(self) -> Mapping[str, bytes]:
        """The fields of a multipart/form-data body."""
        boundary = self.headers["content-type"].partition("boundary=")[2].strip('"').encode()
        return dict(_parts(self.body, boundary))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the server says: JSON, or bytes as they are."""

    status: int = 200
    content: "Plain | bytes" = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def body(self) -> bytes:
        """What goes over the wire."""
        return self.content if isinstance(self.content, bytes) else json.dumps(self.content).encode()


class BadRequestError(Exception):
    """A request whose body is not what the protocol says."""


def mapping(value: Plain) -> PlainMap:
    """The value, which must be a mapping."""
    if isinstance(value, Mapping):
        return value
    raise BadRequestError(f"expected an object, got {value!r}")


def items(value: Plain) -> tuple[PlainMap, ...]:
    """The value, which must be a list of mappings."""
    if isinstance(value, list | tuple):
        return tuple(mapping(item) for item in value)
    raise BadRequestError(f"expected a list, got {value!r}")


def text(of: PlainMap, name: str) -> str:
    """A member that is text; the agent leaves empty text out."""
    value = of.get(name, "")
    if isinstance(value, str):
        return value
    raise BadRequestError(f"expected text in {name}, got {value!r}")


def number(of: PlainMap, name: str, default: int) -> int:
    """A member that is a whole number."""
    value = of.get(name, default)
    if isinstance(value, int):
        return value
    raise BadRequestError(f"expected a number in {name}, got {value!r}")


def _parts(body: bytes, boundary: bytes) -> Iterator[tuple[str, bytes]]:
    for part in (b"\r\n" + body).split(b"\r\n--" + boundary)[1:-1]:
        head, _, content = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        name = re.search(rb'[; ]name="([^"]*)"', head)
        if name is None:
            raise BadRequestError(f"a part of the form has no name: {head!r}")
        yield name[1].decode(), content
