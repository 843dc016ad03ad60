"""The number of random points before the first model, where the user does not say."""

import pytest

import milbox as mb
from milbox.strategies.initial import initial_points
from milbox.strategies.named import NAMED
from milbox.trials.origin import Source


def domain(binaries: int = 12) -> mb.Domain:
    return mb.Domain([mb.binary("x", binaries)])


def f(x) -> float:  # type: ignore[no-untyped-def]
    return float(x.sum())


@pytest.mark.parametrize(
    ("binaries", "budget", "expected"),
    [(12, 40, 8), (12, 10, 5), (12, 100, 20), (12, 1000, 50), (12, None, 20), (5, None, 8), (1, 40, 1)],
)
def test_rule(binaries: int, budget: int | None, expected: int) -> None:
    assert initial_points(domain(binaries), budget) == expected


@pytest.mark.parametrize(
    ("reals", "budget", "expected"),
    [(1, None, 10), (7, None, 14), (40, None, 20), (7, 200, 14), (7, 1000, 14), (7, 30, 10), (7, 9, 5)],
)
def test_rule_with_reals(reals: int, budget: int | None, expected: int) -> None:
    assert initial_points(mb.Domain([mb.real("x", 0, 1, reals)]), budget) == expected


def test_budget_of_a_run_is_not_all_random() -> None:
    result = mb.maximize(f, domain(), budget=12)
    random = [trial.origin.source is Source.RANDOM for trial in result.trials]
    assert random == [True] * 5 + [False] * 7


def test_study_follows_its_budget() -> None:
    assert mb.Study(domain()).strategy.initial == 20  # type: ignore[attr-defined]
    assert mb.Study(domain(), budget=30).strategy.initial == 6  # type: ignore[attr-defined]
    assert mb.Study(domain(), mb.NNMILP(initial=50), budget=30).strategy.initial == 50  # type: ignore[attr-defined]


def test_journal_keeps_the_number_it_began_with(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "run.db"
    mb.maximize(f, domain(), budget=6, journal=path)
    mb.maximize(f, domain(), budget=7, journal=path)
    with mb.Study(domain(), budget=1000, journal=path) as study:
        assert study.strategy.initial == 5  # type: ignore[attr-defined]
        assert study.record.header.strategy == "nn+milp@2(initial=5)"
    with pytest.raises(mb.JournalMismatch):
        mb.Study(domain(), mb.NNMILP(initial=6), journal=path)


def test_journal_of_fifty_goes_on_with_fifty(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "old.db"
    with mb.Study(domain(), mb.NNMILP(initial=50), journal=path) as study:
        study.tell(study.ask().number, 1.0)
        assert study.record.header.strategy == "nn+milp@2"
    with mb.Study(domain(), budget=40, journal=path) as study:
        assert study.strategy.initial == 50  # type: ignore[attr-defined]


def test_methods_of_the_paper_keep_fifty() -> None:
    for name in ("nn+milp/scip", "nn+milp/paper", "linear+milp", "nn+regevo", "regevo"):
        assert NAMED[name].default().initial == 50, name  # type: ignore[attr-defined]
    assert NAMED["nn+milp"].default().initial is None  # type: ignore[attr-defined]


def test_optima_of_random_objectives_are_random_points() -> None:
    assert mb.trials.origin.Origin("random objective").source is Source.RANDOM
