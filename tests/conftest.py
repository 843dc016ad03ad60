"""Settings of the property tests, and the folder of real benchmark files.

The property tests try a little at a desk, more and without chance in CI, much at night. Real files are used
where MILBOX_DATA names a folder of them, or what `make test` has fetched; tests that need others are skipped.
"""

import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Drawing a domain draws its variables and nested constraints: slow to generate is not a fault here.
QUIET = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)

settings.register_profile("dev", max_examples=25, deadline=None, suppress_health_check=QUIET)
settings.register_profile(
    "ci", max_examples=100, deadline=None, derandomize=True, suppress_health_check=QUIET
)
# pytest --hypothesis-profile=soak: for a night, or after a change of a formulation.
settings.register_profile("soak", max_examples=1000, deadline=None, suppress_health_check=QUIET)
settings.load_profile("ci" if os.environ.get("CI") else "dev")

FETCHED = Path(__file__).parents[1] / ".venv" / "data"
if not os.environ.get("MILBOX_DATA") and FETCHED.is_dir():
    os.environ["MILBOX_DATA"] = str(FETCHED)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in one line what was skipped."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    if reasons:
        told = "; ".join(f"{count} ({reason})" for reason, count in sorted(reasons.items()))
        terminalreporter.write_line(f"skipped: {told}")


def real(folder: str) -> Path:
    """The data folder, if it has the real files of a benchmark; the test is skipped if not."""
    data = os.environ.get("MILBOX_DATA", "")
    if not data or not (Path(data) / folder).is_dir():
        pytest.skip(f"MILBOX_DATA names no folder with real files of {folder}")
    return Path(data)


@pytest.fixture(scope="session")
def tfbind() -> Path:
    """The data folder with the paper's TfBind measurements."""
    return real("tfbind8")


@pytest.fixture(scope="session")
def minlplib() -> Path:
    """The data folder with MINLPLib's instances."""
    return real("minlplib")


@pytest.fixture(scope="session")
def nasbench() -> Path:
    """The data folder with NAS-Bench-101's cells."""
    return real("nasbench101")
