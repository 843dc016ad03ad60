"""The paper's program (Section 3.3, Appendix A), row for row; `test_exact` holds it against enumeration."""

import numpy as np
import pytest
from scipy.optimize import linprog

import milbox.domain as mb
from milbox.arrays import FloatArray
from milbox.domain import Domain
from milbox.inner import Mip, PaperMip
from milbox.inner.query import Query
from milbox.milp.program import Milp
from milbox.milp.solution import Limits, Solution, Status
from milbox.milp.solvers import Scip, Settings
from milbox.surrogates.relu import ReluNet, glorot
from milbox.testing.answers import proposed


def one_hot_domain() -> Domain:
    c = mb.categorical("c", "abc", 3)
    return Domain([c], [mb.any_of(c[0] == "a", c[1] == "b")])


def dense(milp: Milp) -> list[tuple[tuple[float, ...], float, float]]:
    return [
        (tuple(row), low, high)
        for row, low, high in zip(
            milp.matrix.toarray().tolist(), milp.row_lower.tolist(), milp.row_upper.tolist(), strict=True
        )
    ]


def test_the_program_is_that_of_the_paper_row_for_row() -> None:
    """Every row is written down here from the paper's formulas, its constants by another solver."""
    domain = Domain([mb.categorical("c", "abc", 3)])
    net = ReluNet.of(glorot((9, 4, 1), np.random.default_rng(3)))
    tried = [(0, 1, 2), (2, 2, 2)]
    milp = PaperMip().program(net, domain, tried)[0].build()

    one_hot = np.kron(np.eye(3), np.ones(3))  # sum over j of z_ij = 1
    z = domain.encode(tried)
    no_goods, most_ones = 1.0 - 2.0 * z, z.sum(axis=1)  # z over zeros, and 1 - z over ones, is 2 or more
    w, b = net.hidden[0].weights, net.hidden[0].bias

    def largest(slope: np.ndarray) -> float:
        """The linear program of Appendix A: over one-hot rows and no-goods, without integrality."""
        answer = linprog(
            -slope, A_ub=-no_goods, b_ub=most_ones - 2, A_eq=one_hot, b_eq=np.ones(3), bounds=(0, 1)
        )
        return float(-answer.fun)

    most = np.array([largest(w[:, j]) + b[j] for j in range(4)])  # M0
    least = np.array([largest(-w[:, j]) - b[j] for j in range(4)])  # M1
    assert (most > 0).all()
    assert (least > 0).all()
    eye, none = np.eye(4), np.zeros((4, 4))
    expected = [
        *((tuple(row) + (0.0,) * 8, 1.0, 1.0) for row in one_hot.tolist()),
        *(
            (tuple(row) + (0.0,) * 8, 2.0 - n, np.inf)
            for row, n in zip(no_goods.tolist(), most_ones, strict=True)
        ),
        *(
            (tuple(row), low, np.inf)
            for row, low in zip(np.hstack([-w.T, eye, none]).tolist(), b, strict=True)
        ),
        *(  # y <= w·z + b + M1 (1 - a)
            (tuple(row), -np.inf, high)
            for row, high in zip(np.hstack([-w.T, eye, np.diag(least)]).tolist(), b + least, strict=True)
        ),
        *((tuple(row), -np.inf, 0.0) for row in np.hstack([np.zeros((4, 9)), eye, -np.diag(most)]).tolist()),
    ]
    found = dense(milp)
    assert len(found) == len(expected)
    for (row, low, high), (row_there, low_there, high_there) in zip(found, expected, strict=True):
        assert np.allclose(row, row_there, atol=1e-9)
        assert np.allclose([low, high], [low_there, high_there], atol=1e-9)
    assert milp.integer.tolist() == [True] * 9 + [False] * 4 + [True] * 4
    assert not milp.lazy.any(), "no row may wait"
    assert np.allclose(milp.cost, [*np.zeros(9), *net.output.weights[:, 0], *np.zeros(4)])
    assert milp.offset == net.output.bias[0]


def test_there_is_a_row_for_every_tried_point_and_no_start(monkeypatch: pytest.MonkeyPatch) -> None:
    domain = one_hot_domain()
    net = ReluNet.of(glorot((domain.features, 3, 1), np.random.default_rng(0)))
    tried = list(domain)[:9]
    starts = []
    solve = Scip.solve

    def spy(solver: Scip, milp: Milp, limits: Limits, start: FloatArray | None = None) -> Solution:
        starts.append(start)
        return solve(solver, milp, limits, start)

    monkeypatch.setattr(Scip, "solve", spy)
    (proposal,) = proposed(PaperMip().solve(Query.of(net, domain, tried), np.random.default_rng(0)))
    assert starts == [None]
    assert proposal.certificate is not None
    assert proposal.certificate.no_goods == 9
    assert proposal.certificate.status is Status.OPTIMAL


def test_settings_are_the_papers() -> None:
    inner = PaperMip()
    assert inner.solver == Scip(Settings.PAPER)
    assert inner.limits.seconds == 500.0
    assert inner.limits.gap == 0.0


def test_bounds_come_from_linear_programs_alone() -> None:
    # At most one of three is one, but the linear program has x = (1/2, 1/2, 1/2).
    x = mb.binary("x", 3)
    domain = Domain([x], [x[0] + x[1] <= 1, x[1] + x[2] <= 1, x[0] + x[2] <= 1])
    net = ReluNet.of([(np.ones((3, 1)), np.array([-1.25])), (np.ones((1, 1)), np.zeros(1))])
    ours = Mip(start=False, lp_bounds=True, one_sided=False).program(net, domain, [])[0].build()
    paper = PaperMip().program(net, domain, [])[0].build()
    assert ours.columns == 3, "the sum is at most 1: the neuron is never on"
    assert paper.columns == 5
    assert paper.matrix.toarray()[-1].tolist() == pytest.approx([0, 0, 0, 1, -0.25])
