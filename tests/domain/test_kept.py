"""What is worked out about a domain is kept on it, once."""

import gc
import pickle
import weakref

import milbox as mb
from milbox.domain import Domain
from milbox.domain.kept import kept

calls: list[int] = []


class Result:
    """Something that can be watched."""


@kept
def worked_out(domain: Domain, limit: int = 3) -> Result:
    calls.append(len(domain.variables) * limit)
    return Result()


def test_results_are_worked_out_once_and_live_as_long_as_the_domain() -> None:
    calls.clear()
    domain, equal = (Domain([mb.binary("x", 4)]) for _ in range(2))
    first = worked_out(domain, 5)
    assert worked_out(domain, 5) is first
    assert worked_out(domain) is not first
    assert worked_out(equal, 5) is not first, "an equal domain has its own"
    assert calls == [20, 12, 20]
    watched = weakref.ref(first)
    del first, domain
    gc.collect()
    assert watched() is None


def test_a_pickled_domain_leaves_them_behind() -> None:
    x = mb.binary("x", 4)
    domain = Domain([x], [x.sum() == 2])
    worked_out(domain)
    again = pickle.loads(pickle.dumps(domain))
    assert again == domain
    assert again.results == {}
    assert list(again) == list(domain)
