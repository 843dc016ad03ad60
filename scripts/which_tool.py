"""Draw docs/images/which-tool.svg: which tool when, as a path of questions.

python scripts/which_tool.py
"""

from html import escape
from pathlib import Path

OUT = Path(__file__).resolve().parents[1] / "docs" / "images" / "which-tool.svg"
# A question, the answer that leads away from milbox, and what to use there.
QUESTIONS = (
    ("Is the objective a formula?", "yes", "a solver: SCIP, HiGHS, Gurobi, CP-SAT"),
    ("Are most choices continuous?", "yes", "Ax, BoTorch, Optuna, CMA-ES"),
    ("Is there strong noise?", "yes", "Ax, BoTorch"),
    ("Does an evaluation take milliseconds?", "yes", "evolution, simulated annealing"),
    ("Are there rules between the choices?", "no", "milbox, or Optuna's TPE and SMAC"),
)
END = "milbox: every proposal obeys the rules, is new and is certified"
WIDTH, LEFT, RIGHT, BOX, STEP, TALL = 760, 10, 440, 310, 62, 40


def box(x: int, y: int, text: str, kind: str, wide: int = BOX) -> str:
    """A rectangle with a line of text in it."""
    return (
        f'<rect class="{kind}" x="{x}" y="{y}" width="{wide}" height="{TALL}" rx="6"/>'
        f'<text class="{kind}" x="{x + wide / 2:g}" y="{y + TALL / 2 + 5:g}">{escape(text)}</text>'
    )


def arrow(x1: float, y1: float, x2: float, y2: float, label: str, at: tuple[float, float]) -> str:
    """A line with a head, and a word beside it."""
    return (
        f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" marker-end="url(#head)"/>'
        f'<text class="word" x="{at[0]:g}" y="{at[1]:g}">{label}</text>'
    )


def picture() -> str:
    """The whole picture as SVG."""
    parts = []
    middle = LEFT + BOX / 2
    for k, (question, away, tool) in enumerate(QUESTIONS):
        y = 10 + k * STEP
        onward = "no" if away == "yes" else "yes"
        parts += [
            box(LEFT, y, question, "question"),
            arrow(
                LEFT + BOX, y + TALL / 2, RIGHT - 4, y + TALL / 2, away, (LEFT + BOX + 50, y + TALL / 2 - 6)
            ),
            box(RIGHT, y, tool, "other"),
            arrow(middle, y + TALL, middle, y + STEP - 4, onward, (middle + 18, y + TALL + 15)),
        ]
    bottom = 10 + len(QUESTIONS) * STEP
    parts.append(box(LEFT, bottom, END, "own", WIDTH - 2 * LEFT))
    described = "; ".join(f"{question} If {away}, use {tool}" for question, away, tool in QUESTIONS)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + TALL + 10}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="14">\n'
        f"<title>Which tool when</title><desc>{escape(described)}; otherwise use milbox.</desc>\n"
        "<style>rect{stroke-width:1.5} text{text-anchor:middle;fill:#1b1f24}"
        "line{stroke:#57606a;stroke-width:1.5}"
        "rect.question{fill:#f6f8fa;stroke:#57606a} rect.other{fill:#fff;stroke:#8c959f}"
        "rect.own{fill:#0b5a8a;stroke:#0b5a8a} text.own{fill:#fff;font-weight:600}"
        "text.word{font-size:12px;fill:#57606a}</style>\n"
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
        'orient="auto"><path d="M0 0 8 4 0 8z" fill="#57606a"/></marker></defs>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


if __name__ == "__main__":
    OUT.write_text(picture(), encoding="utf-8")
    print(OUT)
