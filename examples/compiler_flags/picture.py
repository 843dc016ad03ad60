"""Draw a run of the compiler flags: progress, and what each step from -O2 to the best flags is worth.

python picture.py flags.db flags.svg
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from measure import cost
from pictures import BLUE, GREEN, ORANGE, panels, progress, save

from milbox.trials import Journal


def main(journal: Path, picture: Path) -> None:
    _, trials = Journal.read(journal)
    finished = [trial for trial in trials if trial.value is not None]
    best = min(finished, key=lambda trial: trial.value)
    initial = next((trial.number for trial in trials if trial.certificate is not None), len(trials))
    known = ("-O2", "-O3", "-O3 -ffast-math", "-Ofast -funroll-loops")
    usual = {flags: cost(flags.split()) for flags in known}
    chosen = [str(choice) for choice in best.assignment.values() if choice]
    for flags, value in usual.items():
        print(f"{value:8.3f}  {flags}")
    print(f"{best.value:8.3f}  {' '.join(chosen)}  (trial {best.number} of {len(trials)})")

    figure, (left, right) = panels(1, 1.15)
    progress(left, [trial.value for trial in trials], initial, minimize=True, label="million instructions")
    left.legend(loc="upper right")
    left.set_title("flags of gcc")
    bars = {**usual, "found": best.value}
    right.barh(list(bars), list(bars.values()), color=[BLUE] * len(usual) + [ORANGE])
    for place, value in enumerate(bars.values()):
        right.text(value, place, f" {value:.2f}", va="center", fontsize=8)
    right.invert_yaxis()
    right.set_xlabel("million instructions")
    half = len(chosen) // 2
    found = f"found: {' '.join(chosen[:half])}\n{' '.join(chosen[half:])}"
    right.set_title(found, fontsize=7, color=GREEN)
    save(figure, picture)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
