"""Where the real data is, for the tests that need it."""

from pathlib import Path

import pytest

from milbox.problems.folder import folders


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder with the real data; tests that need it are skipped without one."""
    for place in folders():
        if (
            (place / "tfbind8").is_dir()
            and (place / "minlplib").is_dir()
            and (place / "nasbench101").is_dir()
        ):
            return place
    pytest.skip("no benchmark data: set MILBOX_DATA")
