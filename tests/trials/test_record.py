"""Every reader finds the same in a journal: the best trial, counts, proofs, times and origins."""

import pickle
from pathlib import Path

import pytest

import milbox.domain as md
from milbox.strategies import RandomSearch
from milbox.study import Study
from milbox.trials.journal import glance
from milbox.trials.origin import KNOWN, RANDOM, Origin, Source
from milbox.trials.record import asked, best_of, ranked, read_record
from milbox.trials.sense import Sense
from runs import everything


def test_an_origin_is_a_text_with_a_source() -> None:
    assert (KNOWN.source, RANDOM.source) == (Source.KNOWN, Source.RANDOM)
    mutation = Origin("mutation of 17")
    assert (mutation.source, mutation.detail) == (Source.METHOD, "mutation of 17")
    assert (KNOWN.detail, RANDOM.detail) == ("", "")
    assert mutation == "mutation of 17"
    assert {mutation} == {"mutation of 17"}
    assert f"{mutation}" == "mutation of 17"
    copy = pickle.loads(pickle.dumps(KNOWN))
    assert (copy, copy.source) == ("known", Source.KNOWN)


@pytest.mark.parametrize("sense", ["maximize", "minimize"])
def test_the_best_is_the_first_of_equals_by_the_sense(sense: Sense) -> None:
    record = everything(sense).record
    values = [trial.value for trial in record.trials if trial.value is not None]
    extreme = max(values) if sense == "maximize" else min(values)
    first = next(trial for trial in record.trials if trial.value == extreme)
    assert (
        record.best == best_of(record.trials, record.goal) == ranked(record.trials, record.goal)[0] == first
    )
    assert [trial.value for trial in record.ranked] == sorted(values, reverse=sense == "maximize")
    assert best_of([trial for trial in record.trials if trial.value is None], record.goal) is None


def test_a_study_and_its_journal_are_read_alike(tmp_path: Path) -> None:
    domain = md.Domain([md.integer("k", 0, 3)])
    known = [({"k": 3}, 5.0)]
    with Study(domain, RandomSearch(), journal=tmp_path / "run.db", minimize=True, known=known) as study:
        study.note({"budget": 2})
        study.tell(study.ask().number, 2.0, seconds=0.5)
        study.fail(study.ask().number, "broke", seconds=0.25)
        live, kept = study.record, read_record(tmp_path / "run.db")
        seen = glance(tmp_path / "run.db")
    for record in (live, kept):
        assert record.trials == study.trials
        assert (record.sense, record.budget, record.path) == ("minimize", 2, tmp_path / "run.db")
        assert record.best is not None
        assert record.best.value == 2.0
        assert (record.having("finished"), record.having("failed"), record.having("pending")) == (2, 1, 0)
        assert (asked(record.trials), record.ended, record.proved) == (2, True, False)
        assert record.counted == "2 of 2, and 1 known"
        assert record.spent.evaluation == 0.75
        assert record.proofs.certified == 0
        assert record.initial == 3
    assert (seen.ended, seen.seconds, seen.header.seed) == (3, 0.75, 0)


def test_a_domain_that_is_the_same_is_taken_over(tmp_path: Path) -> None:
    domain = md.Domain([md.integer("k", 0, 3)])
    with Study(domain, journal=tmp_path / "run.db") as study:
        study.ask()
    assert read_record(tmp_path / "run.db", like=domain).domain is domain
    other = md.Domain([md.integer("k", 0, 4)])
    assert read_record(tmp_path / "run.db", like=other).domain == domain
