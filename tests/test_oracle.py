"""Domains, proofs and certificates agree with an oracle in plain Python integers and fractions.

`python tests/test_oracle.py 20000` runs as many random domains and prints the counts of docs/reliability.md.
"""

import random
import sys
import time
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

import milbox as mb
from milbox.inner import Auto, Mip
from milbox.inner.query import Query
from milbox.milp.solution import Limits, Status
from milbox.strategies import RandomSearch
from milbox.surrogates.linear import Linear
from milbox.trials import Empty, Found
from oracle import Case, Point, Sum, drawn

LISTED = 3_000
"""Boxes of at most so many points are compared at every point."""

FEW = 12
"""Domains of at most so many points are asked until nothing is left."""

HURRIED = Limits(seconds=2.0)


def check(case: Case, seed: int) -> Counter[str]:
    """Compare everything about a case with the oracle; what was compared, in numbers."""
    counts: Counter[str] = Counter(domains=1)
    largest = max(abs(number) for claim in case.claims for number in numbers(claim))
    if largest > 2**53:
        with pytest.raises(ValueError, match="is too large"):
            case.build(mb)
        return counts + Counter(refused=1)
    domain = case.build(mb)
    small = case.box <= LISTED
    every = set(case.points()) if small else None
    compare_points(case, domain, counts)
    if every is not None and domain.size is not None:
        assert domain.size == len(every)
        counts["sizes"] += 1
    true = every if every is not None else {point for point in case.near if case.holds(point)}
    asked = compare_study(case, domain, seed, every, true, counts)
    if asked:
        compare_certificates(domain, seed, asked, true, counts)
    return counts


def numbers(claim: object) -> list[float]:
    """Every number of a claim."""
    if isinstance(claim, Sum):
        return [float(claim.limit), *(float(weight) for _, weight in claim.weights)]
    return [*numbers(claim.first), *numbers(claim.second)]  # type: ignore[attr-defined]


def compare_points(case: Case, domain: mb.Domain, counts: Counter[str]) -> None:
    """`contains`, `violations` and `feasible` at many points."""
    rng = random.Random(0)
    points = [*case.near, *(tuple(rng.randint(*each) for each in case.ranges) for _ in range(20))]
    truth = [case.holds(point) for point in points]
    assert [domain.contains(point) for point in points] == truth
    assert [not domain.violations(point) for point in points] == truth
    assert domain.feasible(np.array(points)).tolist() == truth
    counts["points"] += len(points)


def compare_study(
    case: Case, domain: mb.Domain, seed: int, every: set[Point] | None, true: set[Point], counts: Counter[str]
) -> list[Point]:
    """Whether the domain is found empty, and whether it is exhausted when it is said to be."""
    try:
        study = mb.Study(domain, RandomSearch(draws=256, limits=HURRIED), seed=seed)
    except mb.DomainError:
        assert not true
        counts["proved empty"] += 1
        return []
    assert every is None or every, "a small domain without points is refused"
    asked: list[Point] = []
    try:
        while len(asked) < (FEW if every is not None else 3):
            asked.append(study.ask().point)
            assert case.holds(asked[-1])
    except mb.Exhausted:
        assert true <= set(asked)
        assert every is None or every == set(asked)
        counts["proved exhausted"] += 1
    except mb.Undecided:
        assert not study.exhausted
        counts["undecided"] += 1
    return asked


def compare_certificates(
    domain: mb.Domain, seed: int, asked: Sequence[Point], true: set[Point], counts: Counter[str]
) -> None:
    """No point that the oracle knows is better than a proof allows."""
    rng = np.random.default_rng(seed)
    widest = max(1.0, *(float(v.codes[-1] - v.codes[0]) for v in domain.variables))
    line = Linear(rng.normal(size=domain.features) / widest, 0.0)
    tried = asked[: len(asked) // 2]
    left = sorted(true - set(tried))
    best = float(line.predict(domain.encode(left)).max()) if left else -np.inf
    scale = max(1.0, float(np.abs(line.predict(domain.encode(asked))).max()))
    for inner in (Mip(limits=HURRIED), Auto(mip=Mip(limits=HURRIED))):
        answer = inner.solve(Query.of(line, domain, tried), rng)
        if isinstance(answer, Empty):
            assert not left
            counts["proved nothing left"] += 1
        elif isinstance(answer, Found):
            (found,) = answer.proposals
            assert domain.contains(found.point)
            assert found.certificate is not None
            assert best <= found.certificate.bound + 1e-6 * scale
            if found.certificate.status is Status.OPTIMAL:
                assert best <= float(line.predict(domain.encode([found.point]))[0]) + 1e-6 * scale
                counts["proved optimal"] += 1
            else:
                counts["not proved optimal"] += 1
        else:
            counts["unknown"] += 1


@pytest.mark.parametrize("seed", range(8))
def test_an_oracle_agrees_on_random_domains(seed: int) -> None:
    rng = random.Random(seed)
    counts: Counter[str] = Counter()
    for k in range(12):
        counts += check(drawn(rng), k)
    assert counts["points"] > 0


@pytest.mark.parametrize("seed", [905, 7865, 12128])
def test_rows_over_many_codes_are_as_exact_as_their_sums(seed: int) -> None:
    check(drawn(random.Random(f"oracle {seed}")), seed)


def run(count: int, first: int = 0) -> None:
    """As many random domains from a seed on, and the counts of what was compared."""
    counts: Counter[str] = Counter()
    began = time.perf_counter()
    for seed in range(first, first + count):
        case = drawn(random.Random(f"oracle {seed}"))
        try:
            counts += check(case, seed)
        except BaseException:
            print(f"domain {seed}: {case}")
            raise
        if seed % 100 == 99:
            print(seed + 1, dict(counts), f"{time.perf_counter() - began:.0f} s", flush=True)
    print(dict(counts), f"{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    run(*map(int, sys.argv[1:]))
