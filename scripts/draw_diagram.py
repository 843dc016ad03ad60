"""Draw docs/images/diagram.svg: the decision diagram of a small domain, as the page of a study draws it.

python scripts/draw_diagram.py
"""

from pathlib import Path

import milbox as mb
from milbox.page.sections.diagrams import picture, smallest

OUT = Path(__file__).resolve().parents[1] / "docs" / "images" / "diagram.svg"

STYLE = """
text { font: 12.5px sans-serif; fill: #555; } .label { fill: #111; } .middle { text-anchor: middle; }
.edge { stroke: #888; stroke-width: 1.6; } .edge.head { stroke: #1a5fb4; stroke-width: 4; }
.node { fill: #fff; stroke: #333; stroke-width: 1.6; } svg { background: #fff; }
"""


def domain() -> mb.Domain:
    """Five letters with a rule for neighbours and a motif that must not occur."""
    letter = mb.categorical("s", list("ABC"), 5)
    return mb.Domain([letter], [mb.no_runs(letter, 1), mb.without(letter, "ABA")])


def drawing() -> str:
    """The picture with a path that is thick."""
    made = domain()
    part = smallest(made)
    assert part is not None, "five letters make a small diagram"
    width, height, parts = picture(made, part, next(iter(made)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="A decision diagram of five letters">'
        f"<style>{STYLE}</style>{''.join(parts)}</svg>\n"
    )


if __name__ == "__main__":
    OUT.write_text(drawing())
