"""The rows of each kind of constraint and of a small network; a changed formulation shows as a diff.

After a change that is meant, `GOLDEN=write pytest tests/embed/test_golden_rows.py` writes the texts anew.
"""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import milbox.domain as mb
from milbox.domain import Domain
from milbox.domain.constraints import graphs
from milbox.embed import embed
from milbox.embed.domain import formulate
from milbox.embed.nogood import forbid
from milbox.embed.relu.bounds import Bounded, product_bounds
from milbox.inner import PaperMip
from milbox.milp.program import Milp, MilpBuilder
from milbox.milp.text import lp_text
from milbox.surrogates.relu import ReluNet

GOLDEN = Path(__file__).parent.parent / "golden" / "embed"

x = mb.binary("x", 3)
k = mb.integer("k", -1, 1)
n = mb.integer("n", 0, 3, encoding="integer")
c = mb.categorical("c", "abc")
d = mb.categorical("d", "bc")
s = mb.categorical("s", "AB", 2)
NET = ReluNet.of(
    [
        (np.array([[1.0, -1.0], [1.0, 0.5], [-2.0, 0.0]]), np.array([-0.5, 0.25])),
        (np.array([[2.0], [-1.0]]), np.array([0.125])),
    ]
)
DEEP = ReluNet.of(
    [
        (np.array([[1.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, -2.0, 0.0]]), np.array([0.0, 1.5, 0.0])),
        (np.array([[1.0], [-1.0], [3.0]]), np.array([0.5])),
        (np.array([[1.0]]), np.array([0.0])),
    ]
)


def names(domain: Domain, width: int) -> list[str]:
    """A name for each column: the features, then what the rows add."""
    features = []
    for i, variable in enumerate(domain.variables):
        onehot = domain.coding.onehot[i]
        features += (
            [f"{variable.name}={variable.value(code)}" for code in variable.codes]
            if onehot
            else [variable.name]
        )
    return features + [f"aux{j}" for j in range(width - len(features))]


def rows(declared: list[object], *constraints: object) -> tuple[Domain, Milp]:
    domain = Domain(declared, constraints)
    milp = MilpBuilder()
    formulate(domain, milp)
    return domain, milp.build()


def network(net: ReluNet, bounded: bool, one_sided: bool = False) -> tuple[Domain, Milp]:
    domain, milp = Domain([x]), MilpBuilder()
    inputs = formulate(domain, milp).inputs
    surrogate = Bounded(net, product_bounds(net, domain), one_sided) if bounded else net
    milp.maximize(embed(surrogate, milp, inputs))
    return domain, milp.build()


def no_goods(radius: int) -> tuple[Domain, Milp]:
    domain, milp = Domain([x, c, n]), MilpBuilder()
    forbid([(1, 0, 1, 2, 0), (0, 0, 0, 0, 3)], formulate(domain, milp), radius)
    return domain, milp.build()


def section_3_3() -> tuple[Domain, Milp]:
    """The paper's program: an open neuron, one that is always on, one that is never, and two tried points."""
    domain = Domain([x[0], c, x[1]], [x[0] + x[1] + (c == "a") <= 2])
    net = ReluNet.of(
        [
            (
                np.array(
                    [[1.0, 1.0, -1.0], [-2.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.0, 2.0, 0.0], [1.0, 0.0, -1.0]]
                ),
                np.array([-0.25, 0.5, -0.5]),
            ),
            (np.array([[2.0], [-1.0], [3.0]]), np.array([0.125])),
        ]
    )
    return domain, PaperMip().program(net, domain, [(1, 0, 0), (0, 2, 1)])[0].build()


CASES: dict[str, Callable[[], tuple[Domain, Milp]]] = {
    "two_neurons": lambda: network(NET, bounded=False),
    "two_neurons_bounded": lambda: network(NET, bounded=True),
    "two_neurons_one_sided": lambda: network(NET, bounded=True, one_sided=True),
    "two_layers_with_a_dead_neuron": lambda: network(DEEP, bounded=False),
    "section_3_3": section_3_3,
    "no_goods": lambda: no_goods(1),
    "no_goods_with_radius_two": lambda: no_goods(2),
    "literal": lambda: rows([c, n], c != "b", n == 2),
    "linear": lambda: rows([x, k, n], 0.5 * x[0] + k - 2 * n <= 1, x.sum() == 2),
    "product": lambda: rows([x, k, c], x[0] * x[1] + k * (c == "a") >= 1),
    "any_of": lambda: rows([x, k, c], mb.any_of(x.sum() <= 1, k >= 1, c == "a")),
    "all_of": lambda: rows([x, k], mb.all_of(x[0] + x[1] <= 1, k == 0)),
    "negate": lambda: rows([x, k], mb.negate(mb.all_of(x[0], k == 0)), k != x[1]),
    "implies": lambda: rows([c, n], mb.implies(c == "a", n <= 1)),
    "count": lambda: rows([x, n], mb.exactly(2, [x[0], x[1], n >= 2])),
    "all_different": lambda: rows([c, d], mb.all_different(c, d)),
    "table": lambda: rows([c, n], mb.table([c, n], [("a", 0), ("b", 3)])),
    "forbid": lambda: rows([c, n], mb.forbid([c, n], [("a", 0), ("b", 3)])),
    "automaton": lambda: rows([s], mb.automaton(s, [(0, "A", 1), (1, "B", 0), (1, "A", 1)], 0, [1])),
    "connected_vertices": lambda: rows([x], graphs.connected_vertices(x, [(0, 1), (1, 2)])),
    "disconnected_vertices": lambda: rows([x], mb.negate(graphs.connected_vertices(x, [(0, 1), (1, 2)]))),
    "connected_edges": lambda: rows([x[0], x[1]], graphs.connected_edges(x[:2], [(0, 1), (2, 3)])),
    "spanning_tree": lambda: rows([x], graphs.spanning_tree(x, [(0, 1), (1, 2), (2, 0)])),
}


@pytest.mark.parametrize("name", CASES)
def test_rows_are_as_written_down(name: str) -> None:
    domain, milp = CASES[name]()
    text = lp_text(milp, names(domain, milp.columns))
    path = GOLDEN / f"{name}.lp"
    if os.environ.get("GOLDEN") == "write":
        path.write_text(text)
    assert text == path.read_text()


def test_no_text_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.glob("*.lp")} == set(CASES)
