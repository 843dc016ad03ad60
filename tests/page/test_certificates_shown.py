"""The page says which points certificates are about, and which choices are proved."""

import re
from dataclasses import replace

import milbox.domain as md
from milbox.milp.solution import Status
from milbox.page import page
from milbox.page.sections.best_points import verdict
from milbox.page.sections.certificates import proved_gaps, subjects
from milbox.page.sections.summary import figures, proved
from milbox.trials import Certificate, Finished
from milbox.trials.record import Record
from milbox.trials.trial import EVERYWHERE
from runs import distinct_points, proof, record, trial

NEAR = replace(proof(1.0), about=f"{EVERYWHERE}, at most 4 variables away from the best one")
ROUNDED = replace(proof(1.0, 1.0 + 1e-8), status=Status.OPTIMAL)


def run(*certificates: Certificate) -> Record:
    """A trial for each certificate."""
    domain = md.Domain([md.binary("x", 6)])
    points = distinct_points(domain, len(certificates))
    return record(
        domain,
        [
            trial(domain, number, point, Finished(1.0), "search", certificate)
            for number, (point, certificate) in enumerate(zip(points, certificates, strict=True))
        ],
    )


def test_what_is_proved_of_a_part_is_said_of_a_part() -> None:
    mixed = run(proof(1.0), NEAR, NEAR)
    assert proved(mixed).startswith(
        "All 3 points chosen by a surrogate were proved to be its best: 1 among all untried points, "
        "2 among a part of them or with another qualification that the certificate names. "
    )
    assert subjects(mixed).startswith(
        "1 of 3 certificates is about all untried points, 2 about a part of them, such as"
    )
    assert "1 best of all untried points, 2 with a qualification" in figures(mixed)
    assert [verdict(each) for each in mixed.trials] == ["best untried", *["best, with a qualification"] * 2]
    assert "no untried point of the domain has a better" not in page(mixed)
    table = page(mixed).partition("of all untried</th>")[2].partition("</tr></tbody>")[0]
    assert '<td class="n">3</td><td class="n">3</td><td class="n">1</td>' in table


def test_what_is_proved_of_all_points_is_said_of_all() -> None:
    everywhere = run(proof(1.0), proof(1.0))
    assert proved(everywhere).startswith(
        "All 2 points chosen by a surrogate were proved to be its best among all untried points. "
    )
    assert subjects(everywhere) == "All 2 certificates are about all untried points."


def test_a_choice_with_a_gap_of_rounding_is_called_proved() -> None:
    assert proved_gaps([proof(1.0), proof(1.0)]) == "All 2 choices are proved, 2 with a gap of 0."
    assert proved_gaps([proof(1.0), ROUNDED, ROUNDED]) == (
        "All 3 choices are proved, 1 with a gap of 0 and 2 with a gap that is no more than rounding."
    )
    assert proved_gaps([proof(1.0), proof(1.0, 2.0)]) == "1 of 2 choices is proved, 1 with a gap of 0."
    assert proved_gaps([proof(1.0, 2.0)] * 2) == "0 of 2 choices are proved."
    shown = page(run(ROUNDED, proof(1.0, 2.0)))
    assert re.search(r'"trial 0: gap 1e[^"]*6%, proved"', shown)
    assert "trial 1: gap 50%, not proved" in shown
