"""Declared symmetries are checked, and images are trained on, excluded and counted."""

import itertools
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import milbox as mb
from generators import constraints
from milbox.cli.console import InputError
from milbox.cli.problem.file import parse_problem
from milbox.domain import Domain
from milbox.domain.symmetries import orbits
from milbox.inner.query import Region
from milbox.strategies.beliefs import observed
from milbox.strategies.evolution import NNRegEvo, RegEvo
from milbox.trials import Finished, History, Proposal

LETTERS = ["A", "C", "G", "T"]
PAIRS = dict(zip("ACGT", "TGCA", strict=True))


def sequence(length: int = 4) -> Any:
    return mb.categorical("s", LETTERS, length)


def all_orbits(domain: Domain) -> set[frozenset[Any]]:
    """The orbits by enumeration."""
    points = list(domain)
    return {frozenset(orbit) for orbit in orbits(domain, np.array(points, dtype=np.int64))}


def test_the_image_is_the_reverse_complement() -> None:
    domain = Domain([sequence()], (), [mb.reverse_complement(sequence())])
    for point in domain:
        word = list(domain.assignment(point)["s"])
        images = {tuple(domain.assignment(each)["s"]) for each in orbits(domain, np.array([point]))[0]}
        assert images == {tuple(word), tuple(PAIRS[c] for c in reversed(word))}


def test_renamed_labels_are_one_orbit() -> None:
    labels = mb.integer("g", 1, 3, 4)
    domain = Domain([labels], (), [mb.interchangeable(labels)])
    # Partitions of four things into at most three groups: Stirling numbers 1 + 7 + 6.
    assert len(all_orbits(domain)) == domain.orbits == 14
    some = Domain([labels], (), [mb.interchangeable(labels, [1, 3])])
    assert some.orbits == len(all_orbits(some)) == (81 + 1) // 2


@pytest.mark.parametrize(
    "rules",
    [
        lambda s: [mb.no_runs(s, 2)],
        lambda s: [mb.without(s, "AC", "GT")],
        lambda s: [mb.share(s, ["G", "C"], 0.25, 0.75)],
        lambda s: [mb.containing(s, "AT")],
        lambda s: [mb.any_of(mb.containing(s, "AC"), mb.containing(s, "GT"))],
        lambda s: [mb.implies(s[0] == "A", s[1] != "C"), mb.implies(s[3] == "T", s[2] != "G")],
        lambda s: [mb.all_different(s)],
        lambda s: [mb.table([s[0], s[3]], [("A", "T"), ("C", "C"), ("G", "G"), ("T", "A")])],
        lambda s: [mb.at_most(1, [s[0] == "A", s[1] == "G", s[2] == "C", s[3] == "T"])],
        lambda s: [mb.negate(mb.all_of(s[0] == "A", s[3] == "T"))],
        lambda s: [(s[0] == "A") * (s[3] == "T") + (s[1] == "C") * (s[2] == "G") <= 1],
    ],
)
def test_constraints_that_the_symmetry_keeps_are_accepted(rules: Any) -> None:
    s = sequence()
    domain = Domain([s], rules(s), [mb.reverse_complement(s)])
    points = set(domain)
    assert all(image in points for orbit in all_orbits(domain) for image in orbit)
    assert domain.orbits == len(all_orbits(domain))


@pytest.mark.parametrize(
    "rules",
    [
        lambda s: [mb.without(s, "AC")],
        lambda s: [mb.containing(s, "AC")],
        lambda s: [mb.share(s, ["A"], 0, 0.5)],
        lambda s: [s[0] == "A"],
        lambda s: [mb.table([s[0], s[3]], [("A", "C")])],
        lambda s: [mb.implies(s[0] == "A", s[1] != "C")],
    ],
)
def test_others_are_refused_with_the_constraint(rules: Any) -> None:
    s = sequence()
    with pytest.raises(
        ValueError, match=r"reverse_complement\(s\[0\] to s\[3\]\) is not shown .* constraint"
    ):
        Domain([s], rules(s), [mb.reverse_complement(s)])


@given(st.data())
def test_no_constraint_passes_that_the_symmetry_breaks(data: st.DataObject) -> None:
    """Whatever the rules are: where a symmetry is accepted, it maps the points onto themselves."""
    s = mb.categorical("s", ["a", "b"], 3)
    word = mb.categorical("w", ["a", "b", "c"], 2)
    rules = data.draw(st.lists(constraints([*s, *word], depth=2), max_size=3))
    symmetries = data.draw(
        st.lists(
            st.sampled_from(
                [
                    mb.interchangeable(s),
                    mb.interchangeable([*word], ["a", "c"]),
                    mb.reverse_complement(s, {"a": "b", "b": "a"}),
                    mb.reverse_complement(word, {"a": "a", "b": "c", "c": "b"}),
                ]
            ),
            min_size=1,
            max_size=2,
            unique=True,
        )
    )
    plain = Domain([s, word], rules)
    points = set(plain)
    try:
        domain = Domain([s, word], rules, symmetries)
    except ValueError:
        return
    if points:
        assert all(image in points for orbit in all_orbits(domain) for image in orbit)
        assert domain.orbits == len(all_orbits(domain))


@pytest.mark.parametrize(
    "strategy", [mb.NNMILP(initial=4), mb.RandomSearch(), RegEvo(initial=4), NNRegEvo(initial=4)]
)
@pytest.mark.parametrize("batch", [1, 3])
def test_one_point_of_each_orbit_is_asked(strategy: Any, batch: int) -> None:
    s = sequence(3)
    domain = Domain([s], [mb.no_runs(s, 2)], [mb.reverse_complement(s)])
    study = mb.Study(domain, strategy, seed=3)
    while not study.exhausted:
        for trial in study.ask_many(batch):
            study.tell(trial.number, float(sum(trial.point) % 5))
    with pytest.raises(mb.Exhausted, match="but for symmetries"):
        study.ask()
    assert len(study.trials) == domain.orbits
    asked = orbits(domain, np.array([trial.point for trial in study.trials]))
    assert len({frozenset(orbit) for orbit in asked}) == domain.orbits
    assert study.proved


def test_certificates_speak_of_symmetries() -> None:
    s = sequence()
    study = mb.Study(Domain([s], (), [mb.reverse_complement(s)]), mb.NNMILP(initial=3))
    for _ in range(5):
        trial = study.ask()
        study.tell(trial.number, float(trial.number))
    certificate = study.trials[4].certificate
    assert certificate is not None
    assert certificate.about == "all untried points, images of tried ones left out"


def test_a_fixed_variable_does_not_bring_an_image_back() -> None:
    s = sequence(2)
    domain = Domain([s], (), [mb.reverse_complement(s)])
    study = mb.Study(domain, mb.RandomSearch())
    for _ in range(4):  # AA, AC, AG and AT
        study.ask(fix={"s[0]": "A"})
    with pytest.raises(mb.Exhausted):
        study.ask(fix={"s[1]": "T"})  # TT, GT, CT and AT are their images


def test_images_are_trained_on() -> None:
    s = sequence()
    domain = Domain([s], (), [mb.reverse_complement(s)])
    history = History().asked(
        [Proposal((0, 0, 1, 2), "random"), Proposal((0, 1, 2, 3), "random")]
    )  # AACG, and ACGT, its own image
    history = history.told(0, Finished(5.0)).told(1, Finished(7.0))
    features, values = observed(domain, history, np.random.default_rng(0), None, history.values, "value")
    expected = domain.encode([(0, 0, 1, 2), (1, 2, 3, 3), (0, 1, 2, 3)])
    assert features.tolist() == expected.tolist()
    assert values.tolist() == [5.0, 5.0, 7.0]


def test_a_point_and_seven_images_at_most_are_trained_on() -> None:
    labels = mb.categorical("g", ["a", "b", "c", "d"], 4)
    domain = Domain([labels], (), [mb.interchangeable(labels)])
    history = History().asked([Proposal((0, 1, 2, 3), "random"), Proposal((2, 2, 2, 2), "random")])
    history = history.told(0, Finished(1.0)).told(1, Finished(2.0))
    features, values = observed(domain, history, np.random.default_rng(0), None, history.values, "value")
    assert values.tolist() == [1.0] * 8 + [2.0] * 4
    assert tuple(domain.decode(features[0])) == (0, 1, 2, 3)
    assert len({tuple(domain.decode(row)) for row in features}) == 12


def test_regions_leave_out_images() -> None:
    s = sequence()
    domain = Domain([s], (), [mb.reverse_complement(s)])
    region = Region(domain).without([(0, 0, 0, 0)])
    assert (3, 3, 3, 3) not in region
    assert (3, 3, 3, 0) in region


def test_symmetries_are_kept_with_the_domain() -> None:
    s, labels = sequence(), mb.categorical("g", ["a", "b", "c"], 2)
    domain = Domain([s, labels], [mb.no_runs(s, 2)], [mb.reverse_complement(s), mb.interchangeable(labels)])
    for again in (Domain.from_json(domain.to_json()), pickle.loads(pickle.dumps(domain))):
        assert again == domain
        assert list(map(str, again.symmetries)) == list(map(str, domain.symmetries))
        assert again.orbits == domain.orbits == len(all_orbits(domain))
    assert domain != Domain([s, labels], [mb.no_runs(s, 2)])


def test_journals_resume_with_symmetries(tmp_path: Path) -> None:
    s = sequence(3)
    domain = Domain([s], (), [mb.reverse_complement(s)])
    whole = mb.Study(domain, mb.NNMILP(initial=3), seed=5)
    for _ in range(8):
        trial = whole.ask()
        whole.tell(trial.number, float(sum(trial.point)))
    for _ in range(8):
        with mb.Study(domain, mb.NNMILP(initial=3), seed=5, journal=tmp_path / "run.db") as study:
            trial = study.ask()
            study.tell(trial.number, float(sum(trial.point)))
    with mb.Study(domain, mb.NNMILP(initial=3), seed=5, journal=tmp_path / "run.db") as study:
        assert [trial.point for trial in study.trials] == [trial.point for trial in whole.trials]


def test_mistakes_are_named() -> None:
    s = sequence()
    with pytest.raises(ValueError, match="'A' has no complement"):
        mb.reverse_complement(s, {"A": "C", "C": "G", "G": "T", "T": "A"})
    with pytest.raises(ValueError, match="two of the values"):
        mb.interchangeable(s, ["A", "X"])
    with pytest.raises(TypeError, match="is not a symmetry; make one with"):
        Domain([s], (), ["backwards"])
    with pytest.raises(ValueError, match="'z', which is not in the domain"):
        Domain([s], (), [mb.interchangeable([mb.binary("z"), mb.binary("y")])])
    many = mb.integer("k", 1, 7, 3)
    with pytest.raises(ValueError, match="more than 720 images"):
        orbits(Domain([many], (), [mb.interchangeable(many)]), np.array([[1, 2, 3]]))


def test_problem_files_declare_symmetries(tmp_path: Path) -> None:
    text = """
[variables]
s = { kind = "categorical", choices = ["A", "C", "G", "T"], size = 4 }
[[constraints]]
rule = "no_runs(s, 2)"
[[symmetries]]
rule = "reverse_complement(s)"
"""
    s = sequence()
    same = Domain([s], [mb.no_runs(s, 2)], [mb.reverse_complement(s)])
    assert parse_problem(text, tmp_path / "p.toml").domain.orbits == same.orbits
    with pytest.raises(InputError, match=r"p\.toml:7: this is not a symmetry"):
        parse_problem(text.replace("reverse_complement(s)", "no_runs(s, 3)"), tmp_path / "p.toml")
    with pytest.raises(InputError, match="is not shown to be a symmetry"):
        parse_problem(text.replace("no_runs(s, 2)", "s[0] == 'A'"), tmp_path / "p.toml")


def test_burnside_counts_as_enumeration_does() -> None:
    for sizes in itertools.product([2, 3], [2, 3]):
        s = mb.categorical("s", ["A", "T"], sizes[0])
        g = mb.categorical("g", ["a", "b", "c"], sizes[1])
        domain = Domain([s, g], (), [mb.reverse_complement(s), mb.interchangeable(g)])
        assert domain.orbits == len(all_orbits(domain))


def test_places_that_one_literal_stands_for_are_not_confused() -> None:
    z = mb.categorical("z", ["a", "b"], 2)
    hexagon = [(i, (i + 1) % 6) for i in range(6)]
    triangles = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]
    rules = [
        mb.connected_edges([z[0] == "a"] * 6, hexagon),
        mb.connected_edges([z[0] == "b"] * 6, triangles),
    ]
    with pytest.raises(ValueError, match="symmetries cannot rewrite the constraint"):
        mb.Domain([z], rules, symmetries=[mb.interchangeable(z)])
    other = mb.categorical("y", ["a", "b"], 2)
    assert mb.Domain([z, other], rules, symmetries=[mb.interchangeable(other)]).orbits == 4
