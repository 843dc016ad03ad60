"""The section that draws a domain's decision diagram, where it is small."""

import numpy as np

import milbox as mb
from milbox.page.sections.diagrams import diagrams, smallest
from milbox.trials import Finished
from runs import record, trial


def test_every_path_is_drawn_and_the_best_one_is_thick() -> None:
    letter = mb.categorical("s", list("ABC"), 4)
    domain = mb.Domain([letter], [mb.no_runs(letter, 1)])
    points = list(domain)
    run = record(domain, [trial(domain, k, p, Finished(float(k))) for k, p in enumerate(points[:5])])
    part = smallest(domain)
    assert part is not None
    shown = str(diagrams(run))
    pairs = {(s, t) for s, t in zip(part.source.tolist(), part.target.tolist(), strict=True)}
    assert shown.count("<line") == len(pairs)
    assert shown.count('class="edge arc head"') == 4
    assert f"{len(points)} of them" in shown


def test_what_is_large_or_has_no_diagram_is_not_drawn() -> None:
    x = mb.binary("x", 30)
    for domain in (mb.Domain([x]), mb.Domain([x], [x.sum() == 15]), mb.Domain([mb.real("t", 0, 1)])):
        assert (
            diagrams(record(domain, [trial(domain, 0, (0,) * len(domain.variables), Finished(1.0))])) is None
        )


def test_the_smallest_part_is_drawn() -> None:
    x = mb.binary("x", 7)
    domain = mb.Domain([x], [x[:4].sum() == 2, x[4:].sum() == 1])
    part = smallest(domain)
    assert part is not None
    assert np.sort(part.variables).tolist() == [4, 5, 6]
