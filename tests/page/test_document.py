"""The page is complete for any run: empty, failed, huge, infinite, or with hostile names."""

import json
import math
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import milbox.domain as md
from generators import histories, small_domains
from milbox.domain.constraints.graphs import arcs, dag, spanning_tree
from milbox.page import page
from milbox.page.sections.graphs import directed_picture, edges_of
from milbox.page.sections.sequences import logos
from milbox.trials import Failed, Finished, Pending
from milbox.trials.course import improvements
from milbox.trials.record import Record
from milbox.trials.sense import Sense
from runs import BEGAN, distinct_points, everything, model_run, proof, record, trial

VOID = {"meta", "input"}
LIMIT = 2_000_000
NASTY = "<script>window.pwned=1</script>\"'&amp;</title></style><img src=x onerror=window.pwned=1>"


class Wellformed(HTMLParser):
    """Every element is closed where it was opened; what is shown, and what the page's script reads."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.shown: list[str] = []
        self.data: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in ("style", "script"):
            self.shown.append(data)
        elif self.open[-1] == "script" and self.elements[-1][1].get("type") == "application/json":
            self.data.append(data)


def checked(run: Record) -> Wellformed:
    """The page of a run, read; what must be true of every page is checked."""
    made = page(run)
    assert len(made.encode()) < LIMIT
    outside = re.sub(r"http://www\.w3\.org/2000/svg", "", made)
    assert not re.search(r"https?://|@import|url\(", outside)
    reader = Wellformed()
    reader.feed(made)
    reader.close()
    assert reader.open == []
    for tag, attributes in reader.elements:
        assert not any(name.startswith("on") for name in attributes), (tag, attributes)
        assert tag in TAGS, tag
        for name in ("src", "href", "xlink:href", "action"):
            assert (attributes.get(name) or "#").startswith("#")
        if tag == "svg":
            assert attributes["role"] == "img"
            assert attributes["aria-label"]
        for name in (
            "d",
            "x",
            "y",
            "cx",
            "cy",
            "x1",
            "x2",
            "y1",
            "y2",
            "width",
            "height",
            "transform",
            "viewbox",
        ):
            assert "nan" not in (attributes.get(name) or "")
            assert "inf" not in (attributes.get(name) or "")
    identifiers = [a["id"] for _, a in reader.elements if "id" in a]
    assert len(set(identifiers)) == len(identifiers)
    targets = {a["href"] for tag, a in reader.elements if tag == "a"}
    assert targets <= {f"#{identifier}" for identifier in identifiers}
    for held in reader.data:
        assert all(len(dot) == 3 for dot in json.loads(held))
    return reader


TAGS = {
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "main",
    "header",
    "h1",
    "h2",
    "h3",
    "p",
    "strong",
    "dl",
    "div",
    "dt",
    "dd",
    "nav",
    "a",
    "section",
    "footer",
    "script",
    "figure",
    "figcaption",
    "svg",
    "g",
    "path",
    "line",
    "rect",
    "circle",
    "text",
    "ul",
    "li",
    "span",
    "table",
    "caption",
    "label",
    "input",
    "button",
    "output",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "details",
    "summary",
    "code",
    "i",
    "b",
}


def words(reader: Wellformed) -> str:
    """What a reader sees, in one line."""
    return " ".join(" ".join(reader.shown).split())


def test_an_empty_journal() -> None:
    domain = md.Domain([md.binary("x", 3)], [md.binary("x", 3).sum() <= 2])
    shown = words(checked(record(domain)))
    assert "The journal is empty: no point has been asked yet." in shown
    assert "none yet" in shown


def test_only_pending_and_failed_trials() -> None:
    domain = md.Domain([md.binary("x", 3)], [md.binary("x", 3).sum() <= 2])
    trials = [
        trial(domain, 0, (0, 0, 1), Pending()),
        trial(domain, 1, (0, 1, 1), Failed("ZeroDivisionError: division by zero\n  at line 3", 0.1, BEGAN)),
        trial(domain, 2, (1, 1, 0), Failed("", 0.1, BEGAN), "milp", proof(1.0)),
    ]
    shown = words(checked(record(domain, trials)))
    assert "No trial has finished yet: 1 pending and 2 failed." in shown
    assert "ZeroDivisionError: division by zero" in shown
    assert "no reason given" in shown


@pytest.mark.parametrize("value", [0.0, -0.5, 1e300, -1e-300])
def test_one_trial(value: float) -> None:
    domain = md.Domain([md.integer("k", 0, 9)])
    shown = words(checked(record(domain, [trial(domain, 0, (3,), Finished(value))])))
    assert "The only measured value is" in shown
    assert "At least 8 finished trials are needed" in shown


@pytest.mark.parametrize("sense", ["maximize", "minimize"])
def test_everything_at_once(sense: Sense) -> None:
    run = everything(sense).record
    shown = words(checked(run))
    best = max(run.values) if sense == "maximize" else min(run.values)
    assert run.best is not None
    assert run.best.value == best
    assert f"The {'largest' if sense == 'maximize' else 'smallest'} of 53 measured values" in shown
    assert "nothing is proved about some of the others" in shown
    assert "came loose" in shown
    assert "60 of 80" in shown


def test_the_incumbent_only_gets_better() -> None:
    domain = md.Domain([md.binary("x", 8)])
    values = np.random.default_rng(1).normal(size=100)
    senses: list[tuple[Sense, float]] = [("maximize", 1.0), ("minimize", -1.0)]
    for sense, sign in senses:
        run = model_run(domain, list(values), 20, sense)
        found = [sign * value for _, value in improvements(run)]
        assert found == sorted(set(found))
        running = np.maximum.accumulate(sign * values)
        assert [number for number, _ in improvements(run)] == [0, *(np.flatnonzero(np.diff(running) > 0) + 1)]


def test_a_proved_optimum_is_called_so() -> None:
    domain = md.Domain([md.binary("x", 2)])
    trials = [trial(domain, k, point, Finished(float(k))) for k, point in enumerate(domain)]
    assert "this is the proved optimum" in words(checked(record(domain, trials)))
    pending = [*trials[:3], trial(domain, 3, (1, 1), Pending())]
    assert "proved optimum" not in words(checked(record(domain, pending)))


@pytest.mark.parametrize("sense", ["maximize", "minimize"])
def test_infinite_and_absent_numbers(sense: Sense) -> None:
    domain = md.Domain([md.binary("x", 5)])
    certificates = [
        proof(1.0, math.inf),
        proof(math.nan, math.nan),
        proof(-math.inf, math.inf),
        proof(0.0, 1e-15),
    ]
    trials = [
        trial(
            domain, k, point, Finished(float(k % 7), math.nan if k == 3 else 0.0), "milp", certificates[k % 4]
        )
        for k, point in enumerate(distinct_points(domain, 30))
    ]
    checked(record(domain, trials, sense))


def test_huge_and_tiny_values() -> None:
    domain = md.Domain([md.binary("x", 6)])
    values = [*np.linspace(0, 1, 40), -1e9, -1.7e308, 1.7e308]
    shown = words(checked(model_run(domain, values, 10)))
    assert "1.7e308" in shown
    outliers = words(checked(model_run(domain, [*np.linspace(0, 1, 40), -1e9], 10)))
    assert re.search(r"1 value below −1\.\d+ drawn at the edge\.", outliers)
    close = [1e6 + 1e-9 * k for k in range(30)]
    checked(model_run(domain, close, 10))


def test_names_and_texts_cannot_become_code() -> None:
    run = everything(nasty=NASTY).record
    made = page(run)
    reader = checked(run)
    assert "<script>window" not in made
    assert "<img" not in made
    assert "window.pwned=1" in words(reader)  # shown, not run
    assert made.count("<script") == 1 + len(reader.data)


def test_two_thousand_trials_and_hundreds_of_variables() -> None:
    domain = md.Domain([md.binary("x", 250), md.categorical("s", "ACGT", 100), md.binary("edge", 300)])
    rng = np.random.default_rng(3)
    limits = [domain.declared[0][5 * k : 5 * k + 5].sum() <= 4 for k in range(50)]
    domain = md.Domain(domain.declared, limits)
    trials = []
    drawn = rng.integers(0, [len(v.codes) for v in domain.variables], (2000, len(domain.variables)))
    for number, point in enumerate(map(tuple, drawn.tolist())):
        value = float(sum(point[:20]) + rng.normal())
        certificate = (
            None if number < 50 else proof(value + 1, value + 1 + number % 5, seconds=0.1 + number % 7)
        )
        origin = "random" if certificate is None else f"mutation of {number - 1}"
        trials.append(trial(domain, number, point, Finished(value, 0.1), origin, certificate))
    reader = checked(record(domain, trials))
    assert len(reader.elements) < 14000  # of which the table of all trials has half
    assert "2,000 measured values" in words(reader)


def test_the_same_journal_gives_the_same_page() -> None:
    assert page(everything().record) == page(everything().record)


@settings(max_examples=20)
@given(st.data())
def test_any_small_domain_and_history(data: st.DataObject) -> None:
    domain = data.draw(small_domains(feasible=True))
    history = data.draw(histories(domain))
    trials = [trial(domain, t.number, t.point, t.outcome) for t in history]
    checked(record(domain, trials, data.draw(st.sampled_from(["maximize", "minimize"]))))


# Sequences and graphs ----------------------------------------------------------------------------------


def test_a_logo_counts_letters() -> None:
    domain = md.Domain([md.categorical("s", "ACGT", 3), md.categorical("one", "AB")])
    points = [(2, k % 4, (k // 4) % 4, k % 2) for k in range(16)]
    run = record(domain, [trial(domain, k, p, Finished(float(k))) for k, p in enumerate(points)])
    (logo,) = logos(run)
    assert logo.points == 10
    assert logo.shares[0].tolist() == [0, 0, 1, 0]
    np.testing.assert_allclose(logo.shares.sum(axis=1), 1.0)
    # log2 4 bits where all agree, less 3 / (2 ln 2 · 10) for having seen only ten.
    assert logo.bits[0] == pytest.approx(max(0.0, 2 - 3 / (2 * math.log(2) * 10)))
    assert (logo.bits >= 0).all()
    assert "What the best sequences share" in words(checked(run))
    assert logos(run, frozenset({"s"})) == []


def cell() -> md.Domain:
    """A cell of four vertices in the style of NAS-Bench-101."""
    edge, op = md.binary("edge", 6), md.categorical("op", ["conv", "pool", "null"], 2)
    return md.Domain([edge, op], [dag(edge, arcs(4), [op[0] != "null", op[1] != "null"])])


def test_edges_are_read_in_the_order_of_arcs() -> None:
    domain = cell()
    points = list(domain)
    run = record(domain, [trial(domain, k, p, Finished(float(k))) for k, p in enumerate(points)])
    edges = edges_of(run)
    assert edges is not None
    assert list(edges.pairs) == arcs(4)
    for each in run.trials:
        picture = directed_picture(each, edges)
        present = {0, 3} | {k + 1 for k, op in enumerate(each.assignment["op"]) if op != "null"}
        # In a cell, exactly the active vertices have edges.
        assert set(picture.vertices) == present
        assert len(picture.edges) == int(each.assignment["edge"].sum())
        assert picture.labels[0] == "input"
    shown = words(checked(run))
    assert "The best points as graphs" in shown
    assert "What the best sequences share" not in shown  # the operations are in the drawing


def test_a_spanning_tree_is_drawn() -> None:
    pairs = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]
    e = md.binary("e", 5)
    domain = md.Domain([e], [spanning_tree(e, pairs)])
    run = record(domain, [trial(domain, k, p, Finished(float(k))) for k, p in enumerate(domain)])
    reader = checked(run)
    assert "The spanning edges of the graph" in words(reader)
    assert sum(a.get("class") == "edge" for _, a in reader.elements) == 9  # three trees of three edges


def test_a_matrix_of_edges_with_a_cycle_goes_round() -> None:
    domain = md.Domain([md.binary("adjacency", (3, 3))])
    cycle = (0, 1, 0, 0, 0, 1, 1, 0, 0)
    run = record(domain, [trial(domain, 0, cycle, Finished(1.0)), trial(domain, 1, (0,) * 9, Finished(0.0))])
    reader = checked(run)
    assert sum("head" in (a.get("class") or "") for _, a in reader.elements) == 3
    assert "no edges" in words(reader)
