"""The server shows the journal to this computer only and does not change it."""

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from milbox.errors import JournalError
from milbox.page.server import Live, Quiet, address, server
from milbox.strategies import RandomSearch
from milbox.study import Study
from studies import shelf


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Three finished trials."""
    path = tmp_path / "run.db"
    with Study(shelf(), RandomSearch(), journal=path) as study:
        for k, trial in enumerate(study.ask_many(3)):
            study.tell(trial.number, float(k))
    return path


@contextmanager
def serving(path: Path) -> Iterator[Quiet]:
    """A server in a thread of its own."""
    with server(Live(path), 0) as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield made
        finally:
            made.shutdown()
            thread.join()


def ask(
    made: Quiet, path: str = "/", method: str = "GET", host: str | None = None, **headers: str
) -> tuple[int, dict[str, str], str]:
    """Status, headers and body of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", made.server_port, timeout=30)
    try:
        connection.putrequest(method, path, skip_host=True)
        connection.putheader("Host", host or f"127.0.0.1:{made.server_port}")
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode()
    finally:
        connection.close()


def test_the_page_and_its_version(journal: Path) -> None:
    with serving(journal) as made:
        assert address(made) == f"http://127.0.0.1:{made.server_port}/"
        status, headers, body = ask(made)
        assert status == 200
        assert headers["Content-Type"] == "text/html; charset=utf-8"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "3 measured values" in body
        version = json.loads(ask(made, "/version")[2])["version"]
        assert headers["ETag"] == f'"{version}"'
        assert f'data-version="{version}"' in body
        for path in ("/", "/version", "/?again"):
            status, headers, body = ask(made, path, If_None_Match=f'"{version}"')
            assert (status, body) == (304, "")
        assert ask(made, "/version", If_None_Match='"other"')[0] == 200
        assert ask(made, "/run.db")[0] == 404
        assert ask(made, "/../run.db")[0] == 404


def test_what_is_asked_and_told_is_seen_at_once(journal: Path) -> None:
    with serving(journal) as made, Study(shelf(), RandomSearch(), journal=journal) as study:
        seen = [ask(made, "/version")[2]]
        for _ in range(5):
            trial = study.ask()
            seen.append(ask(made, "/version")[2])
            study.tell(trial.number, 10.0 + trial.number)
            seen.append(ask(made, "/version")[2])
        assert len(set(seen)) == len(seen)
        assert "8 measured values" in ask(made)[2]


def test_a_corrected_value_and_a_cancelled_trial_are_seen(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with Study(shelf(), RandomSearch(), journal=path) as study:
        first, second = study.ask_many(2)
        study.tell(first.number, 1.0)
        seen = [Live(path).version()]
        study.amend(first.number, 2.0)
        seen.append(Live(path).version())
        study.cancel(second.number)
        seen.append(Live(path).version())
    assert len(set(seen)) == 3


def test_other_names_are_refused(journal: Path) -> None:
    """A page from elsewhere whose name points to 127.0.0.1 sends its own name along."""
    with serving(journal) as made:
        port = made.server_port
        for host in (
            "evil.example",
            f"evil.example:{port}",
            "127.0.0.1",
            f"localhost:{port + 1}",
            "localhost",
        ):
            status, _, body = ask(made, host=host)
            assert status == 403
            assert "measured" not in body
        for host in (f"localhost:{port}", f"LOCALHOST:{port}", f"127.0.0.1:{port}"):
            assert ask(made, host=host)[0] == 200
        with socket.create_connection(("127.0.0.1", port), timeout=30) as bare:
            bare.sendall(b"GET / HTTP/1.0\r\n\r\n")
            assert b"403" in bare.recv(100)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"])
def test_it_only_shows(journal: Path, method: str) -> None:
    with serving(journal) as made:
        status, headers, _ = ask(made, method=method)
        assert status == 405
        assert headers["Allow"] == "GET"


def test_only_this_computer_is_served(journal: Path) -> None:
    with serving(journal) as made:
        assert made.server_address[0] == "127.0.0.1"


def test_the_journal_is_left_alone(journal: Path) -> None:
    before = {path.name: path.read_bytes() for path in journal.parent.iterdir()}
    with serving(journal) as made:
        ask(made)
        ask(made, "/version")
    assert {path.name: path.read_bytes() for path in journal.parent.iterdir()} == before


def test_a_journal_that_disappears_and_comes_back(journal: Path) -> None:
    with serving(journal) as made:
        held = journal.read_bytes()
        journal.unlink()
        status, _, body = ask(made)
        assert status == 503
        assert f"there is no journal {journal}" in body
        journal.write_bytes(held)
        assert ask(made)[0] == 200


def test_a_bad_journal_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(JournalError, match="not a journal"):
        Live(tmp_path / "notes.txt")


def test_a_window_that_is_closed_is_no_error(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(journal) as made:
        hung_up = socket.create_connection(("127.0.0.1", made.server_port), timeout=30)
        hung_up.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # reset on close
        hung_up.sendall(f"GET / HTTP/1.1\r\nHost: localhost:{made.server_port}\r\n\r\n".encode())
        hung_up.close()
        assert ask(made)[0] == 200
    assert "Traceback" not in capsys.readouterr().err


def test_two_hundred_windows_may_ask_at_the_same_moment(journal: Path) -> None:
    with server(Live(journal), 0) as made:
        # Nobody accepts yet: all of them have to wait in the queue, where a connection that does not fit
        # would be tried again only after a second.
        clients = [socket.create_connection(("127.0.0.1", made.server_port), timeout=0.5) for _ in range(200)]
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            for client in clients:
                client.settimeout(30)
                client.sendall(b"GET /version HTTP/1.0\r\nHost: 127.0.0.1:%d\r\n\r\n" % made.server_port)
            answers = [client.makefile("rb").read() for client in clients]
        finally:
            made.shutdown()
            thread.join()
            for client in clients:
                client.close()
    assert all(answer.startswith(b"HTTP/1.0 200") for answer in answers)
    assert len({answer.rpartition(b"\r\n\r\n")[2] for answer in answers}) == 1
