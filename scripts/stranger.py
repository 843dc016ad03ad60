"""Go the whole way of a stranger: from a Python without anything to a report of a run.

    python scripts/stranger.py [--keep FOLDER]

Builds the wheel, installs it with its dependencies into a new virtual environment, leaves the checkout, and
follows the tutorial, the page on problem files and the page on Optuna there, block by block, comparing what
is printed with what the pages say. Then it writes a problem file with `milbox init`, runs and prolongs it,
and looks at its report in Chromium, as wide as a phone and as a desk. Ends with 1 where anything is not as
it should be.
"""

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("tutorial.md", "reference/problem-file.md", "howto/optuna.md")
WIDTHS = (400, 1280)
PATIENCE = 900.0
# What would let the checkout, or an environment round it, into the stranger's.
FOREIGN = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "NUMBA_CACHE_DIR", "MILBOX_DATA")


def main() -> None:
    """Every step, with its time."""
    options = argparse.ArgumentParser(description="Go the whole way of a stranger.")
    options.add_argument("--keep", type=Path, help="a folder for the report and its pictures")
    kept: Path | None = options.parse_args().keep
    with tempfile.TemporaryDirectory(prefix="stranger-") as name:
        folder = Path(name)
        with step("build the wheel"):
            run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, ROOT], folder)
            (wheel,) = folder.glob("milbox-*.whl")
        with step(f"install {wheel.name} with Optuna into a new environment"):
            run([sys.executable, "-m", "venv", folder / "env"], folder)
            tools = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
            run([tools / "python", "-m", "pip", "install", "--quiet", f"{wheel}[optuna]"], folder)
        home = folder / "home"
        home.mkdir()
        with step("import milbox from there"):
            place = run([tools / "python", "-c", "import milbox; print(milbox.__file__)"], home).strip()
            if not Path(place).is_relative_to(folder):
                sys.exit(f"milbox came from {place}, not from the wheel")
            said = run([tools / "milbox", "--version"], home).strip()
            if not said.endswith(f" {wheel.name.split('-')[1]}"):
                sys.exit(f"{wheel.name} says of itself: {said}")
            print("   ", said)
        follow_pages(tools, home)
        report = run_a_problem(tools, home)
        look(report, home)
        if kept is not None:
            kept.mkdir(parents=True, exist_ok=True)
            for path in (report, *home.glob("report-*.png")):
                shutil.copy(path, kept)
            print(f"kept in {kept}")
    print("everything is as the pages say")


def follow_pages(tools: Path, home: Path) -> None:
    """The pages, as a reader follows them; whatever they print is compared."""
    reader = home / "pages.py"
    shutil.copy(ROOT / "tests" / "pages.py", reader)
    for page in PAGES:
        copy = home / Path(page).name
        shutil.copy(ROOT / "docs" / page, copy)
        with step(f"follow docs/{page}"):
            run([tools / "python", reader, copy], home)


def run_a_problem(tools: Path, home: Path) -> Path:
    """A problem of the stranger's own, from `milbox init` to a report."""
    milbox = tools / "milbox"
    with step("write, check, run and prolong a problem"):
        run([milbox, "init", "mine.toml"], home)
        run([milbox, "check", "mine.toml"], home)
        budget = ["--budget", "30", "--initial", "20"]
        run([milbox, "run", "mine.toml", *budget, "--journal", "mine.db"], home)
        run([milbox, "resume", "mine.db", "--budget", "34"], home)
        listed = run([milbox, "trials", "mine.db"], home)
        if len(listed.splitlines()) < 34:
            sys.exit(f"34 trials were run, and these are listed:\n{listed}")
    with step("report"):
        run([milbox, "report", "mine.db", "--out", "report.html"], home)
    return home / "report.html"


def look(report: Path, folder: Path) -> None:
    """Open the report in Chromium: it loads nothing else, complains of nothing, and fits."""
    sys.path.insert(0, str(ROOT / "tests"))
    from browser import browsing, chromium

    if chromium() is None:
        sys.exit("there is no Chromium; run scripts/ensure-chromium")
    with browsing(folder) as browser:
        for width in WIDTHS:
            with step(f"look at the report {width} pixels wide"):
                browser.show(report.as_uri(), width=width)
                browser.picture(folder / f"report-{width}.png")
                wide = browser.run("document.documentElement.scrollWidth")
                trials = browser.run("document.body.innerText.includes('34')")
                if browser.complaints or browser.requests != [report.as_uri()] or wide > width or not trials:
                    sys.exit(
                        f"the report at {width} pixels is {wide} wide, names its trials: {trials}, asks for "
                        f"{browser.requests} and complains: {browser.complaints}"
                    )


@contextlib.contextmanager
def step(what: str) -> Iterator[None]:
    """Say what is done and how long it took."""
    print(what, flush=True)
    start = time.monotonic()
    yield
    print(f"    {time.monotonic() - start:.0f} s", flush=True)


def run(command: Sequence[str | Path], folder: Path) -> str:
    """What a command prints, or the end of everything where it fails."""
    environment = {name: value for name, value in os.environ.items() if name not in FOREIGN}
    environment |= {"HOME": str(folder), "COLUMNS": "100"}
    tools = str(Path(command[0]).parent)
    environment["PATH"] = os.pathsep.join([tools, environment.get("PATH", "")])
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
