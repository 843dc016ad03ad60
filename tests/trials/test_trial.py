import math
from dataclasses import replace

import pytest

from milbox.milp.solution import Status
from milbox.trials import Certificate, Failed, Finished, History, Pending, Proposal, Trial

CERTIFICATE = Certificate(Status.OPTIMAL, 4.0, 5.0, 1e-9, 3, 0.25, "list")


@pytest.mark.parametrize(
    ("value", "bound", "gap"),
    [
        (4.0, 5.0, 0.2),
        (-5.0, -4.0, 0.2),
        (-1.0, 1.0, 2.0),
        (0.0, 0.0, 0.0),
        (0.0, 1e-300, 1.0),
        (3.0, math.inf, math.inf),
        (-math.inf, 2.0, math.inf),
        (math.inf, math.inf, 0.0),
    ],
)
def test_gap_is_relative_to_the_larger_of_value_and_bound(value: float, bound: float, gap: float) -> None:
    certificate = replace(CERTIFICATE, value=value, bound=bound)
    assert certificate.gap == gap
    assert replace(CERTIFICATE, value=-value, bound=-bound).gap == gap, "the sense does not matter"


@pytest.mark.parametrize(
    ("outcome", "state", "value", "reason"),
    [
        (Pending(), "pending", None, None),
        (Finished(2.5), "finished", 2.5, None),
        (Failed("no power"), "failed", None, "no power"),
    ],
)
def test_a_trial_says_what_came_of_it(
    outcome: Pending | Finished | Failed, state: str, value: float | None, reason: str | None
) -> None:
    trial = Trial(3, Proposal((0, 1), "milp", CERTIFICATE), outcome)
    assert (trial.state, trial.value, trial.reason) == (state, value, reason)
    assert (trial.point, trial.origin, trial.certificate) == ((0, 1), "milp", CERTIFICATE)


def test_durations_and_dates_take_no_part_in_comparisons() -> None:
    def trial(seconds: float) -> Trial:
        certificate = replace(CERTIFICATE, seconds=seconds)
        proposal = Proposal((1,), "milp", certificate, fit_seconds=seconds)
        return Trial(0, proposal, Finished(1.0, seconds, seconds), {"x": seconds}, asked_at=seconds)

    assert trial(1.0) == trial(2.0)
    assert hash(trial(1.0)) == hash(trial(2.0))
    assert replace(trial(1.0), outcome=Finished(1.5)) != trial(1.0)


def test_a_history_grows_by_asking_and_telling() -> None:
    empty = History()
    assert (len(empty), empty.incumbent, list(empty.points), empty.values.shape) == (0, None, [], (0,))
    asked = empty.asked([Proposal((0,), "a"), Proposal((1,), "a")]).asked([Proposal((2,), "b")])
    assert [trial.number for trial in asked] == [0, 1, 2]
    told = asked.told(1, Finished(-1.0)).told(2, Finished(-1.0))
    assert (list(asked.points), list(told.points), told.values.tolist()) == ([], [(1,), (2,)], [-1.0, -1.0])
    assert list(told.asked_points) == [(0,), (1,), (2,)]
    assert [trial.number for trial in told.pending] == [0]
    assert told.incumbent == told[1], "the earliest of equals"
    failed = told.told(0, Failed("spilled"))
    assert ([t.number for t in failed.failed], list(failed.points)) == ([0], [(1,), (2,)])
    assert failed.values.dtype == "float64"


def test_a_history_refuses_what_cannot_be_told() -> None:
    history = History().asked([Proposal((0,), "a"), Proposal((1,), "a")])
    with pytest.raises(ValueError, match="there is no trial 2; 2 have been asked"):
        history.told(2, Finished(1.0))
    with pytest.raises(ValueError, match="there is no trial -1"):
        history.told(-1, Finished(1.0))
    with pytest.raises(ValueError, match=r"trial 0 has been told already: it finished with value 1.5"):
        history.told(0, Finished(1.5)).told(0, Finished(1.5))
    with pytest.raises(ValueError, match=r"it failed \(spilled\)"):
        history.told(0, Failed("spilled\nat line 3")).told(0, Finished(1.5))
