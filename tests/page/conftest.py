"""A browser for the tests of this folder: one for all of them, started when the first needs it."""

import os
from collections.abc import Iterator

import pytest

from browser import Browser, browsing, chromium


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Headless Chromium; skipped with a word where there is none, except in CI, where it must be there."""
    if chromium() is None:
        advice = "Chromium is not installed; run scripts/ensure-chromium (Debian's `chromium`)"
        if os.environ.get("CI"):
            pytest.fail(advice)
        pytest.skip(advice)
    with browsing(tmp_path_factory.mktemp("chromium")) as made:
        yield made
