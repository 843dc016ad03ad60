"""Pages looked at in headless Chromium, which is controlled through two pipes.

The DevTools protocol over `--remote-debugging-pipe` is JSON with a zero byte after each message: nothing has
to be installed for it beside the browser.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage --hide-scrollbars "
    "--remote-debugging-pipe --no-proxy-server"
)
# A command that takes longer has failed; on a busy machine a start may well take twenty seconds.
PATIENCE = 90


def chromium() -> str | None:
    """Where Debian's Chromium is, or one by another name."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """One tab. What its pages ask the network for and complain about is kept."""

    def __init__(self, process: "subprocess.Popen[bytes]", to: int, back: int) -> None:
        self.process = process
        self._to, self._back = to, back
        self._held = b""
        self._number = 0
        self._session: str | None = None
        self.complaints: list[str] = []
        self.requests: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for part in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{part}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command, and wait for its answer; events on the way are kept."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        left = memoryview(json.dumps(message).encode() + b"\0")
        while left:
            left = left[os.write(self._to, left) :]
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self._read(deadline)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result
            self._note(answer)

    def _read(self, deadline: float) -> dict[str, Any]:
        while b"\0" not in self._held:
            if not select.select([self._back], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise RuntimeError(f"the browser has not answered for {PATIENCE} seconds: {self.complaints}")
            piece = os.read(self._back, 1 << 20)
            if not piece:
                raise RuntimeError("the browser has ended")
            self._held += piece
        whole, _, self._held = self._held.partition(b"\0")
        message: dict[str, Any] = json.loads(whole)
        return message

    def _note(self, event: dict[str, Any]) -> None:
        given = event.get("params", {})
        match event.get("method"):
            case "Runtime.exceptionThrown":
                self.complaints.append(json.dumps(given["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if given["type"] in ("error", "warning", "assert"):
                self.complaints.append(json.dumps(given["args"]))
            case "Log.entryAdded" if given["entry"]["level"] in ("error", "warning"):
                self.complaints.append(f"{given['entry']['text']} {given['entry'].get('url', '')}")
            case "Network.requestWillBeSent":
                self.requests.append(given["request"]["url"])

    def show(self, url: str, *, width: int = 1100, height: int = 900, scheme: str = "light") -> None:
        """Open an address in a window of this size; the page has loaded when this returns."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url="about:blank")  # an earlier page may still ask a server that has ended
        self.complaints.clear()
        self.requests.clear()
        self.call("Page.navigate", url=url)
        self.run("new Promise(done => document.readyState == 'complete' ? done() : onload = done)")

    def run(self, program: str) -> Any:
        """The value of a JavaScript expression, awaited where it is a promise."""
        answer = self.call("Runtime.evaluate", expression=program, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def picture(self, path: Path, of: str = "body", height: float | None = None, margin: float = 0) -> None:
        """Write an element and a margin round it as a PNG, or only its top."""
        rectangle = f"document.querySelector({of!r}).getBoundingClientRect()"
        left, top, wide, tall = self.run(
            f"(({{x, y, width, height}}) => [x + scrollX, y + scrollY, width, height])({rectangle})"
        )
        x, y = max(0, left - margin), max(0, top - margin)
        clip = {
            "x": x,
            "y": y,
            "width": wide + left - x + margin,
            "height": (height or tall) + top - y + margin,
        }
        shot = self.call(
            "Page.captureScreenshot", format="png", captureBeyondViewport=True, clip={**clip, "scale": 1}
        )
        path.write_bytes(base64.b64decode(shot["data"]))


@contextmanager
def browsing(folder: Path) -> Iterator[Browser]:
    """A browser with a profile of its own, closed at the end."""
    program = chromium()
    if program is None:
        raise RuntimeError("there is no Chromium; run scripts/ensure-chromium")
    to_read, to_write = os.pipe()
    back_read, back_write = os.pipe()
    # Chromium reads from 3 and writes to 4.
    plug = f'exec "$0" "$@" 3<&{to_read} 4>&{back_write}'
    with (folder / "chromium.log").open("wb") as log:
        process = subprocess.Popen(
            ["bash", "-c", plug, program, *FLAGS.split(), f"--user-data-dir={folder / 'profile'}"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(to_read, back_write),
        )
    os.close(to_read)
    os.close(back_write)
    try:
        yield Browser(process, to_write, back_read)
    finally:
        os.close(to_write)
        os.close(back_read)
        process.terminate()
        process.wait()
