"""Make the documentation's pictures of the page from real runs: `.venv/bin/python scripts/screenshots.py`.

Needs Chromium and the benchmark data (MILBOX_DATA, or --data). Journals are kept in results/screenshots, so
that pictures can be made again without running again.
"""

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

import milbox as mb  # noqa: E402 - the folders are known only now
from browser import Browser, browsing  # noqa: E402
from milbox.bench.problems import load  # noqa: E402
from milbox.page import page  # noqa: E402
from milbox.page.comparison import comparison_page  # noqa: E402
from milbox.run import run  # noqa: E402
from milbox.strategies import NNMILP  # noqa: E402
from milbox.study import Study  # noqa: E402
from milbox.trials.course import compared  # noqa: E402
from milbox.trials.record import read_record  # noqa: E402


@dataclass(frozen=True, slots=True)
class Picture:
    """A part of a page as somebody sees it."""

    name: str
    part: str = "body"
    width: int = 1100
    scheme: str = "light"
    height: int | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """A problem, how long it runs, and what is pictured of it."""

    problem: str
    title: str
    budget: int
    pictures: tuple[Picture, ...]


RUNS = (
    Run(
        "ising/100/0",
        "Ising, 100 spins",
        150,
        (
            Picture("page", height=880),
            Picture("page-dark", scheme="dark", height=880),
            Picture("page-constraints", "#constraints"),
            Picture("page-parallel", "#parallel"),
        ),
    ),
    Run(
        "tfbind/CRX_REF_R1",
        "DNA binding of CRX",
        200,
        (
            Picture("page-phone", width=375, height=960),
            Picture("page-phone-dark", width=375, scheme="dark", height=960),
            Picture("page-best", "#best"),
            Picture("page-sequences", "#sequences"),
            Picture("page-agreement", "#agreement"),
            Picture("page-certificates", "#certificates"),
            Picture("page-variables", "#matter"),
            Picture("page-slices", "#slices"),
        ),
    ),
    Run("nasbench101", "A NAS cell", 75, (Picture("page-graphs", "#graphs"),)),
)


def trade_offs(journal: Path) -> None:
    """The process of the how-to on several outputs, with two objectives and a limit."""
    solvent = mb.categorical("solvent", ["water", "ethanol", "toluene"])
    steps, boost = mb.integer("steps", 1, 6), mb.binary("boost", 3)
    temperature = mb.real("temperature", 20.0, 80.0, step=0.5)
    rules = [mb.implies(solvent == "water", boost.sum() <= 1)]
    active = {"water": 1.0, "ethanol": 2.0, "toluene": 2.5}
    toxic = {"water": 0.0, "ethanol": 0.01, "toluene": 0.03}
    with mb.Study(
        mb.Domain([solvent, steps, boost, temperature], rules),
        mb.NNMILP(initial=12),
        journal=journal,
        objectives={"yield": "maximize", "cost": "minimize"},
        limits={"tox": ("<=", 0.06)},
        units={"yield": "%", "cost": "EUR"},
    ) as study:

        def process(solvent: str, steps: int, boost: Any, temperature: float) -> dict[str, float]:
            gain = active[solvent] * steps**0.5 + 0.8 * float(boost.sum()) - ((temperature - 55) / 20) ** 2
            cost = 2.0 * steps + 1.5 * float(boost @ [1, 2, 3]) + 0.02 * temperature
            return {"yield": gain, "cost": cost, "tox": 0.01 * steps + toxic[solvent]}

        run(study, process, budget=50)


def side_by_side(first: Path, other: Path, shown: Path) -> None:
    """A page that compares a run with a random search of the same budget."""
    record = read_record(first)
    problem = load("ising/100/0")
    with Study(problem.domain, mb.RandomSearch(), journal=other) as study:
        run(study, problem.objective, budget=len(record.trials))
    names = ["NN+MILP", "random points"]
    shown.write_text(comparison_page(compared([record, read_record(other)]), names), encoding="utf-8")


def main() -> None:
    """Run what has not been run, and take the pictures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, help="the folder of benchmark data")
    options.add_argument("--out", type=Path, default=ROOT / "docs" / "images")
    given = options.parse_args()
    journals = ROOT / "results" / "screenshots"
    journals.mkdir(parents=True, exist_ok=True)
    given.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, browsing(Path(folder)) as browser:
        for each in RUNS:
            journal = journals / f"{each.problem.replace('/', '-')}.db"
            problem = load(each.problem, given.data)
            with Study(problem.domain, NNMILP(), journal=journal) as study:
                print(f"{each.title}: {run(study, problem.objective, budget=each.budget).message}")
            shown = Path(folder) / "page.html"
            shown.write_text(page(read_record(journal, each.title)), encoding="utf-8")
            for picture in each.pictures:
                take(browser, shown, picture, given.out / f"{picture.name}.png")
        shown = Path(folder) / "page.html"
        trade_offs(journals / "trade-offs.db")
        shown.write_text(page(read_record(journals / "trade-offs.db", "A process")), encoding="utf-8")
        take(browser, shown, Picture("page-front", "#front"), given.out / "page-front.png")
        side_by_side(journals / "ising-100-0.db", journals / "ising-random.db", shown)
        take(browser, shown, Picture("page-compare", "#courses"), given.out / "page-compare.png")


def take(browser: Browser, shown: Path, picture: Picture, out: Path) -> None:
    """One picture, with no more colours than it needs."""
    from PIL import Image

    browser.show(shown.as_uri(), width=picture.width, scheme=picture.scheme)
    browser.picture(out, picture.part, picture.height, margin=0 if picture.part == "body" else 16)
    with Image.open(out) as image:
        image.convert("RGB").quantize(96).save(out, optimize=True)
    print(f"  {out.name}, {out.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
