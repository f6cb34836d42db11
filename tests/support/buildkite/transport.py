"""The HTTP side of a loopback Buildkite: sockets, threads and what faults do to connections."""

import select
import socket
import socketserver
import struct
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar, Protocol, assert_never

from tests.support.buildkite.api import Api
from tests.support.buildkite.faults import Fault, Hang, Late, Normal, Reset, Status, Stuck
from tests.support.buildkite.messages import Answer, Received

LOOPBACK = "127.0.0.1"
CLIENT_TIMEOUT = 10  # seconds for a client to send its request: a connection left idle must not keep the server up
RESET_ON_CLOSE = struct.pack("ii", 1, 0)  # linger for 0 seconds: close() sends RST


class Connection(Protocol):
    """What becomes of a request besides an answer."""

    def reset(self) -> None:
        """Cut the connection so that the client notices at once."""

    def hang(self) -> None:
        """Return when the client has gone or the server stops."""


class Desk:
    """Answers requests one after the other, spoils those that a planned fault is for, and keeps a record."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.lock = threading.RLock()
        self.planned: list[Fault] = []
        self.received: list[Received] = []

    def serve(self, received: Received, connection: Connection) -> Answer | None:
        """The answer to a request; None where there is none because of a fault."""
        with self.lock:
            fault = self._take_fault(received)
            answer = self._answer(received, fault)
            self.received.append(replace(received, status=None if answer is None else answer.status))
        match fault:
            case Reset():
                connection.reset()
            case Hang():
                connection.hang()
            case _:
                pass
        return answer

    def _take_fault(self, received: Received) -> Fault:
        """The first planned fault for what is asked; a request that is refused anyway leaves it for the next."""
        if self.api.refusal(received) is None:
            for index, fault in enumerate(self.planned):
                if fault.on is received.operation:
                    return self.planned.pop(index)
        return Normal()

    def _answer(self, received: Received, fault: Fault) -> Answer | None:
        match fault:
            case Normal():
                return self.api.answer(received)
            case Late(polls=polls):
                return self.api.answer(received, polls=polls)
            case Stuck():
                return self.api.answer(received, polls=None)
            case Status(status=status, message=message, applied=applied):
                if applied:
                    self.api.answer(received)
                return Answer(status=status, content={"message": message} if message else {})
            case Reset(applied=applied) | Hang(applied=applied):
                if applied:
                    self.api.answer(received)
                return None
        assert_never(fault)


class Server(ThreadingHTTPServer):
    """Listens on a free port of the loopback interface; closing it waits for requests in flight."""

    daemon_threads = False

    def __init__(self, api: Callable[[str], Api]) -> None:
        """Make the API once its origin (`http://host:port`) is known."""
        self.stopping = threading.Event()
        self.bugs: list[BaseException] = []
        super().__init__((LOOPBACK, 0), _RequestHandler)
        self.origin = f"http://{LOOPBACK}:{self.server_port}"
        self.desk = Desk(api(self.origin))

    def server_bind(self) -> None:
        """Bind without asking a name server for this machine's name, as HTTPServer would."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = LOOPBACK, self.server_address[1]

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients may go away at any time; everything else is a bug of this server that must fail the test."""
        problem = sys.exception()
        if problem is not None and not isinstance(problem, ConnectionError | TimeoutError):
            self.bugs.append(problem)


class _RequestHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout: ClassVar[float | None] = CLIENT_TIMEOUT

    @property
    def loopback(self) -> Server:
        assert isinstance(self.server, Server)
        return self.server

    def serve(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        received = Received(method=self.command, target=self.path, headers=headers, body=self.rfile.read(length))
        self.close_connection = True
        answer = self.loopback.desk.serve(received, self)
        if answer is None:
            return
        self.send_response(answer.status)
        for name, value in {"Content-Type": "application/json", **answer.headers, "Connection": "close"}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    do_GET = do_POST = do_PUT = do_DELETE = serve  # noqa: N815

    def reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
        self.connection.close()  # takes effect once the base class has closed its streams

    def hang(self) -> None:
        while not self.loopback.stopping.wait(0.02):
            readable, _, _ = select.select([self.connection], [], [], 0)
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                return

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing: `Desk.received` is the record."""
