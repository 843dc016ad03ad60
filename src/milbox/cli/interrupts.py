"""One Ctrl-C ends a command within two seconds, whatever its main thread is doing.

Python handles a signal when its main thread returns from compiled code: a solver's, say, or the user's own. A
thread that the signal itself wakes waits for that a while, and then ends the process. What was told is in the
journal, which can be left at any moment.
"""

import contextlib
import os
import signal
import socket
import threading
from collections.abc import Iterator

from milbox import system
from milbox.cli.console import INTERRUPTED, say

PATIENCE = 1.2
"""Seconds that the main thread has to end by itself."""


class Farewell:
    """The message of an interrupted command; it is printed once."""

    def __init__(self, words: str) -> None:
        self.words = words
        """What is said when the main thread cannot."""
        self._said = threading.Lock()

    def say(self, words: str) -> None:
        """Say these words, unless something was said before."""
        if self._said.acquire(blocking=False):
            say(words)


@contextlib.contextmanager
def ending_promptly(farewell: Farewell) -> Iterator[None]:
    """End the process soon after an interrupt that comes meanwhile, however busy it is."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    woken, waking = socket.socketpair()
    waking.setblocking(False)
    threading.Thread(target=_wait, args=(woken, farewell), daemon=True).start()
    before = signal.set_wakeup_fd(waking.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        waking.close()


def _wait(woken: socket.socket, farewell: Farewell) -> None:
    """Wait for an interrupt, then for the process to end, and end it if it has not."""
    with woken:  # until the end: more signals may come
        while numbers := woken.recv(64):
            if any(number in numbers for number in system.INTERRUPTS):
                break
        else:
            return  # the command has ended
        threading.Event().wait(PATIENCE)
    farewell.say(farewell.words)
    system.kill_families()  # worker processes end by themselves when their parent has
    os._exit(INTERRUPTED)
