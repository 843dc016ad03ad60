"""A small local server that shows the page while a run goes on.

It listens on 127.0.0.1, answers GET and nothing else, and only who asks for it by a local name: a page from
elsewhere whose name has been made to point here (DNS rebinding) is refused. It reads the journal, and never
writes it.
"""

import hashlib
import json
import os
import sys
import threading
import time
from collections import Counter
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from milbox.errors import MilboxError
from milbox.page.document import page
from milbox.trials.journal import Place
from milbox.trials.record import Record, read_record

LOCAL = "127.0.0.1"
# A file that was written less than this many seconds ago may be written again without its time changing.
SETTLED = 0.1
# Connections that may wait to be accepted; those beyond would be tried again a second later, or fail.
BACKLOG = 256
HEADERS = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class Live:
    """The page of a journal, made anew when the journal has changed. What it keeps saves time and no more."""

    def __init__(self, path: Place, title: str | None = None) -> None:
        """Read the journal once, so that a bad one is refused before anybody asks."""
        self.path = path
        self._title = title
        self._lock = threading.Lock()
        self._seen: object = None
        self._record: Record | None = None
        self._shown: tuple[str, str] = ("", "")
        self.version()

    def version(self) -> str:
        """A name for what the journal holds now; another one as soon as something was asked or told."""
        with self._lock:
            return version_of(self._read())

    def page(self) -> tuple[str, str]:
        """The version and the page."""
        with self._lock:
            record = self._read()
            version = version_of(record)
            if self._shown[0] != version:
                self._shown = version, page(record, live=version)
            return self._shown

    def _read(self) -> Record:
        seen = stamp(self.path)
        if self._record is None or seen is None or seen != self._seen:
            # Of the same domain it is known already how many points it has, which may take a while to count.
            known = None if self._record is None else self._record.domain
            self._record, self._seen = read_record(self.path, self._title, like=known), seen
        return self._record


def stamp(path: Place) -> tuple[tuple[int, ...], ...] | None:
    """Sizes and times of the journal's files; None while they are too fresh to tell, or out of reach."""
    try:
        files = [os.stat(name) for name in (path, f"{path}-wal") if os.path.exists(name)]
    except OSError:
        return None
    if not files or time.time() - max(file.st_mtime for file in files) < SETTLED:
        return None
    return tuple((file.st_ino, file.st_size, file.st_mtime_ns) for file in files)


def version_of(record: Record) -> str:
    """A name for what a record holds: trials are added, come to an end, and may be amended."""
    states = Counter(trial.state for trial in record.trials)
    amended = sum(len(trial.earlier) for trial in record.trials)
    what = f"{record.header.domain_fingerprint} {record.header.created_at} {sorted(states.items())} {amended}"
    return hashlib.sha256(what.encode()).hexdigest()[:16]


def server(live: Live, port: int) -> "Quiet":
    """A server for the page, listening; port 0 takes any that is free, a taken one raises OSError."""

    class Answer(BaseHTTPRequestHandler):
        # A connection for each question (HTTP/1.0): when the server ends, no open one goes on answering.
        timeout = 30

        def do_GET(self) -> None:
            """The page, or its version."""
            if not self._local():
                self._say(HTTPStatus.FORBIDDEN, "this page is for 127.0.0.1 and localhost only\n")
                return
            try:
                match self.path.partition("?")[0]:
                    case "/":
                        (version, shown), kind = live.page(), "text/html; charset=utf-8"
                    case "/version":
                        version, kind = live.version(), "application/json"
                        shown = json.dumps({"version": version})
                    case _:
                        self._say(HTTPStatus.NOT_FOUND, "there is only /\n")
                        return
            except MilboxError as error:
                self._say(HTTPStatus.SERVICE_UNAVAILABLE, f"{error}\n")
                return
            if self.headers.get("If-None-Match") == f'"{version}"':
                self._say(HTTPStatus.NOT_MODIFIED, "", ETag=f'"{version}"')
            else:
                self._say(HTTPStatus.OK, shown, kind, ETag=f'"{version}"')

        def refuse(self) -> None:
            """Every other method."""
            self._say(HTTPStatus.METHOD_NOT_ALLOWED, "this server only shows\n", Allow="GET")

        do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_TRACE = refuse  # noqa: N815

        def _local(self) -> bool:
            assert isinstance(self.server, Quiet)
            port = self.server.server_port
            hosts = self.headers.get_all("Host") or []
            return len(hosts) == 1 and hosts[0].lower() in {f"{LOCAL}:{port}", f"localhost:{port}"}

        def _say(
            self, status: HTTPStatus, words: str, kind: str = "text/plain; charset=utf-8", **extra: str
        ) -> None:
            body = words.encode()
            self.send_response(status)
            headers = {**HEADERS, **extra}
            if status != HTTPStatus.NOT_MODIFIED:
                headers |= {"Content-Type": kind, "Content-Length": str(len(body))}
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def version_string(self) -> str:
            """The name alone."""
            return "milbox"

        def log_message(self, *_: object) -> None:
            """Say nothing: a question a second is no news."""

    return Quiet((LOCAL, port), Answer)


class Quiet(ThreadingHTTPServer):
    """A server that takes no notice of who hangs up; an open window does not keep it from ending."""

    daemon_threads = True
    request_queue_size = BACKLOG

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A window that was closed is no error."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


def address(made: Quiet) -> str:
    """The address to open in a browser."""
    return f"http://{LOCAL}:{made.server_port}/"
