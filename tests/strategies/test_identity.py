"""Identities of strategies: short, versioned, and compared when a journal is opened again."""

import sqlite3
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

import milbox as mb
from milbox.errors import JournalMismatch
from milbox.inner import Auto, Evolution
from milbox.strategies import ModelBased, RandomSearch, RegEvo
from milbox.strategies.identity import identity
from milbox.strategies.named import NAMED
from milbox.surrogates import Ranked, ReluLearner
from milbox.trials import Journal
from milbox.trials.goal import ONE, goal_of
from milbox.trials.identity import name_and_settings, recognised, without_version

DOMAIN = mb.Domain([mb.binary("x", 4)])


@dataclass(frozen=True)
class Own:
    """A strategy of a user's own, which says what it is."""

    identity: str = "lattice@3(depth=2)"

    def propose(self, *given: Any) -> Any:
        return RandomSearch().propose(*given)


@dataclass(frozen=True)
class Goals(Own):
    """One that knows of limits."""

    takes_goals: ClassVar[bool] = True


def test_named_strategies_are_their_names() -> None:
    seen = set()
    for name, named in NAMED.items():
        assert identity(named.make(50)) == f"{name}@{named.version}"
        seen.add(identity(named.make(50)))
    assert len(seen) == len(NAMED)


def test_settings_that_are_not_the_default_are_named() -> None:
    assert identity(mb.NNMILP(initial=10)) == "nn+milp@2(initial=10)"
    assert identity(NAMED["nn+regevo"].make(7)) == "nn+regevo@2(initial=7)"
    narrow = mb.NNMILP(ReluLearner(hidden=(8,)))
    assert identity(narrow) == "nn+milp@2(learner=ReluLearner(hidden=(8,)))"
    mixed = ModelBased(Ranked(share=0.25), Evolution(batch=10), 20)
    assert identity(mixed).endswith("inner=Evolution(batch=10), initial=20)")
    assert identity(RegEvo(tournament=3)) == "regevo@2(tournament=3)"


def test_a_strategy_of_a_users_own_says_it_itself() -> None:
    assert identity(Own()) == "lattice@3(depth=2)"


def test_what_has_no_identity_is_its_repr_without_addresses() -> None:
    class Plain:
        def propose(self, *_: Any) -> Any:
            raise AssertionError

    assert identity(Plain()) == identity(Plain())
    assert "0x" not in identity(Plain())


@pytest.mark.parametrize(
    ("text", "parts", "bare"),
    [
        ("nn+milp@2", ("nn+milp", ""), "nn+milp()"),
        ("nn+milp@1(initial=10)", ("nn+milp", "initial=10"), "nn+milp(initial=10)"),
        ("Own(depth=3)", None, "Own(depth=3)"),
    ],
)
def test_an_identity_is_taken_apart(text: str, parts: Any, bare: str) -> None:
    assert name_and_settings(text) == parts
    assert without_version(text) == bare


def test_other_texts_are_left_alone() -> None:
    assert recognised("Own(initial=3)") == "Own(initial=3)"
    assert recognised("nn+milp@2") == "nn+milp@2"


def test_a_journal_keeps_the_identity(tmp_path: Path) -> None:
    with mb.Study(DOMAIN, mb.NNMILP(initial=3), journal=tmp_path / "run.db") as study:
        study.ask()
    assert Journal.read(tmp_path / "run.db")[0].strategy == "nn+milp@2(initial=3)"
    with pytest.raises(
        JournalMismatch, match=r"strategy nn\+milp@2\(initial=3\), and is opened with nn\+milp@2"
    ):
        mb.Study(DOMAIN, mb.NNMILP(initial=50), journal=tmp_path / "run.db")


def test_another_version_is_said_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with mb.Study(DOMAIN, Own("lattice@3"), journal=path) as study:
        study.tell(study.ask().number, 1.0)
    with (
        pytest.warns(UserWarning, match="with the strategy lattice@3 and goes on with lattice@4"),
        mb.Study(DOMAIN, Own("lattice@4"), journal=path) as study,
    ):
        assert study.ask().number == 1
    with warnings.catch_warnings(), mb.Study(DOMAIN, Own("lattice@3"), journal=path):
        warnings.simplefilter("error")
    with pytest.raises(JournalMismatch):
        mb.Study(DOMAIN, Own("lattice@4(depth=1)"), journal=path)


def test_limits_are_learnt_in_another_version(tmp_path: Path) -> None:
    reals, bare = mb.Domain([mb.real("t", 0, 1)]), goal_of(noise=True, objectives={"a": "maximize"})
    limited = goal_of(objectives={"a": "maximize"}, limits={"b": ("<=", 1.0)})
    noisy = goal_of(objectives={"a": "maximize"}, limits={"b": ("<=", 1.0)}, noise=True)

    def versions(name: str, domain: mb.Domain = DOMAIN) -> list[str]:
        found = [identity(NAMED[name].make(50), domain, goal) for goal in (ONE, bare, limited, noisy)]
        return [text.removeprefix(f"{name}@") for text in found]

    assert versions("nn+milp") == ["2", "2", "3", "3"]
    assert versions("nn+milp", reals) == ["4", "4", "5", "5"]
    assert versions("nn+milp/fc32") == ["2", "2", "3", "3"]
    assert versions("linear+milp") == ["2", "2", "2", "3"]  # which never learnt ranks
    assert versions("random") == ["2", "2", "2", "2"]
    wanted: dict[str, Any] = {"objectives": {"a": "maximize"}, "limits": {"b": ("<=", 1.0)}}
    path = tmp_path / "run.db"
    mb.Study(DOMAIN, Goals("nn+milp@2(initial=3)"), journal=path, **wanted).close()
    with pytest.warns(UserWarning, match=r"nn.milp@2.initial=3. and goes on with nn.milp@3.initial=3."):
        mb.Study(DOMAIN, mb.NNMILP(initial=3), journal=path, **wanted).close()


def test_inner_settings_are_compared(tmp_path: Path) -> None:
    one, other = mb.NNMILP(inner=Auto()), mb.NNMILP(inner=Evolution())
    assert identity(one) == identity(mb.NNMILP())
    assert without_version(identity(one)) != without_version(identity(other))
    mb.Study(DOMAIN, one, journal=tmp_path / "run.db").close()
    with pytest.raises(JournalMismatch):
        mb.Study(DOMAIN, other, journal=tmp_path / "run.db")


def test_a_text_of_version_0_1_is_recognised() -> None:
    folder = Path(__file__).parents[1] / "fixtures" / "journals"
    with sqlite3.connect(folder / "nn-milp.db") as connection:
        (text,) = connection.execute("SELECT strategy FROM header").fetchone()
    assert recognised(text) == "nn+milp@1(initial=5)"
    assert recognised(text.replace("initial=5", "initial=50")) == "nn+milp@1"
    assert recognised(text.replace("hidden=(16,)", "hidden=(17,)")) != "nn+milp@1(initial=5)"
