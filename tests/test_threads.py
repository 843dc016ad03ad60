"""A study that threads share: writers take turns, and readers see no half of a change."""

import copy
import pickle
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from milbox.study import Study
from objectives import score
from studies import Greedy, shelf


def together(*tasks: Callable[[], None]) -> None:
    """Run the tasks in a thread each; the first error of any is raised here."""
    errors: list[BaseException] = []

    def guarded(task: Callable[[], None]) -> None:
        try:
            task()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(task,)) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@pytest.mark.parametrize("minimize", [False, True])
def test_readers_see_whole_changes_while_writers_take_turns(tmp_path: Path, minimize: bool) -> None:
    with Study(shelf(), Greedy(), journal=tmp_path / "run.db", minimize=minimize) as study:

        def write() -> None:
            for _ in range(6):
                trial = study.ask()
                study.tell(trial.number, score(**trial.assignment))

        def annotate() -> None:
            for number in range(12):
                study.note({"step": number})

        def look() -> None:
            for _ in range(200):
                trials = study.trials
                assert [trial.number for trial in trials] == list(range(len(trials)))
                assert all(t.value == score(**t.assignment) for t in trials if t.value is not None)
                best = study.best
                assert best is None or best.value == score(**best.assignment)

        together(write, write, write, annotate, look, look)
        values = [trial.value for trial in study.trials]
        assert len(values) == 18
        assert None not in values
    with Study(shelf(), Greedy(), journal=tmp_path / "run.db", minimize=minimize) as again:
        assert [trial.value for trial in again.trials] == values


@pytest.mark.parametrize("copied", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_study_that_is_pickled_says_what_to_do_instead(copied: Callable[[Study], object]) -> None:
    with pytest.raises(TypeError, match=r"cannot be pickled or copied.*trial\.assignment.*Journal\.read"):
        copied(Study(shelf(), Greedy()))
