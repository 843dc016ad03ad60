"""The section on how constraints were taken apart, with a small decision diagram drawn."""

from collections.abc import Sequence

import numpy as np

from milbox.domain import Domain
from milbox.domain.diagrams.diagram import Diagram
from milbox.page.formats import count, short
from milbox.page.svg.charts import chart, figure
from milbox.page.svg.markup import Markup, joined, tag, text
from milbox.trials.record import Record

MOST_EDGES, MOST_LAYERS, MOST_WIDE = 90, 14, 9
"""Larger diagrams are not drawn."""

STEP, ROW, SIDE, TOP = 92, 58, 26, 30
"""Pixels between layers and between nodes, at the sides, and above."""

RADIUS = 6


def diagrams(record: Record) -> Markup | None:
    """The domain's parts in words, and a small one drawn; None without any that is small."""
    domain = record.domain
    if any(len(variable.codes) > MOST_EDGES for variable in domain.variables):
        return None
    part = smallest(domain)
    if part is None:
        return None
    best = None if record.best is None else record.best.point
    names = [domain.variables[i].name for i in part.variables]
    words = (
        f"Every path from left to right is a choice of {short(', '.join(names), 120)} that the constraints "
        f"allow: {part.count:,} of them."
    )
    more = len(domain.product.parts) - 1
    if more:
        words += f" One of {count(more + 1, 'diagram')}."
    if best is not None:
        words += " The thick path is the best point's."
    return figure(drawn(domain, part, best), text(words))


def smallest(domain: Domain) -> Diagram | None:
    """The part with fewest edges that is small enough to draw and has a choice at all."""
    small = [
        part
        for part in domain.product.parts
        if 0 < part.edges <= MOST_EDGES
        and len(part.variables) <= MOST_LAYERS
        and part.widths.max() <= MOST_WIDE
        and part.count > 1
    ]
    return min(small, key=lambda part: part.edges, default=None)


def drawn(domain: Domain, part: Diagram, point: Sequence[int] | None) -> Markup:
    """The diagram as a chart, layer by layer from left to right."""
    width, height, parts = picture(domain, part, point)
    names = ", ".join(domain.variables[i].name for i in part.variables)
    label = f"Decision diagram of {short(names, 200)}: {part.edges} edges, {part.count:,} paths."
    return chart(width, height, parts, label)


def picture(domain: Domain, part: Diagram, point: Sequence[int] | None) -> tuple[int, int, list[Markup]]:
    """Width, height and elements of the drawing; the path of the point, if there is one, is thick."""
    layers, widest = len(part.variables), int(part.widths.max())
    width, height = 2 * SIDE + STEP * layers, TOP + ROW * widest + SIDE
    layer_of = np.repeat(np.arange(layers + 1), part.widths)

    def place(node: int) -> tuple[float, float]:
        layer = int(layer_of[node])
        here = node - int(part.nodes[layer])
        share = (here + 0.5) / int(part.widths[layer])
        return float(SIDE + STEP * layer), float(TOP + ROW * widest * share)

    taken = set()
    if point is not None:
        taken = set(part.locate(np.array([[point[i] for i in part.variables]]))[0].tolist())
    bundles: dict[tuple[int, int], list[int]] = {}
    for edge, (source, target) in enumerate(zip(part.source.tolist(), part.target.tolist(), strict=True)):
        bundles.setdefault((source, target), []).append(edge)
    lines, words = [], []
    for (source, target), edges in sorted(bundles.items()):
        (x1, y1), (x2, y2) = place(source), place(target)
        kind = "edge arc head" if taken & set(edges) else "edge arc"
        lines.append(tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind))
        variable = domain.variables[part.variables[int(layer_of[source])]]
        low = int(variable.codes[0])
        values = [str(variable.value(low + int(part.letter[edge]))) for edge in sorted(edges)]
        # Labels stand near the source, where edges are apart.
        x, y = x1 + 0.24 * (x2 - x1), y1 + 0.24 * (y2 - y1) - 4
        words.append(tag("text", text(short(" ".join(values), 12)), x=x, y=y, class_="tick middle"))
    nodes = [
        tag("circle", cx=x, cy=y, r=RADIUS, class_="node")
        for x, y in (place(node) for node in range(int(part.nodes[-1])))
    ]
    heads = [
        tag(
            "text",
            text(short(domain.variables[i].name, 10)),
            x=SIDE + STEP * (layer + 0.5),
            y=14,
            class_="label middle",
        )
        for layer, i in enumerate(part.variables)
    ]
    return width, height, [joined(lines), joined(nodes), joined(words), joined(heads)]
