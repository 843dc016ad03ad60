"""Domains of the shapes that people bring: chains, sequences with motifs, subsets, budgets, amounts, paths.

The objective is a fixed random network, tanh(W x) v, over the encoded point. What is measured on these is
how long a step takes (`milbox bench speed`), not how good the points are.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.bench.problems.problem import Problem
from milbox.domain import Domain, all_different, binary, categorical, integer, real, table
from milbox.domain.constraints.sequences import no_runs, share, without

UNITS = 32
"""Hidden units of the objective."""


def blocks(count: int) -> Domain:
    """Binaries in blocks of ten, as many on in the first half of each as in the second."""
    x = binary("x", count)
    starts = range(0, count, 10)
    return Domain([x], [x[i : i + 5].sum() == x[i + 5 : i + 10].sum() for i in starts])


def chain(length: int, letters: int) -> Domain:
    """A sequence of letters of which six in ten pairs may be neighbours."""
    rng = np.random.default_rng(1)
    s = integer("s", 0, letters - 1, length)
    pairs = [(i, j) for i in range(letters) for j in range(letters) if i == j or rng.random() < 0.6]
    return Domain([s], [table([s[i], s[i + 1]], pairs) for i in range(length - 1)])


def dna(length: int) -> Domain:
    """Bases without runs of more than three and without three sites, of which 40 to 60 % are G or C."""
    b = categorical("b", list("ACGT"), length)
    sites = without(b, "GAATTC", "GGATCC", "TATA")
    return Domain([b], [no_runs(b, 3), share(b, "GC", 0.4, 0.6), sites])


def subset(chosen: int, count: int) -> Domain:
    """So many of so many binaries."""
    x = binary("x", count)
    return Domain([x], [x.sum() == chosen])


def budget(count: int) -> Domain:
    """Binaries with costs from 1 to 99, for a third of what all cost."""
    x, costs = binary("x", count), np.random.default_rng(2).integers(1, 100, count)
    return Domain([x], [(costs * x).sum() <= int(costs.sum()) // 3])


def amounts(most: int, encoding: Literal["onehot", "integer"]) -> Domain:
    """Ten integers from 0 to `most` whose sum is at most three tenths of the largest."""
    k = integer("k", 0, most, 10, encoding=encoding)
    return Domain([k], [k.sum() <= 3 * most])


def reals(count: int, binaries: int) -> Domain:
    """Reals between zero and one in a box, or with binaries under a sum."""
    x = real("x", 0, 1, count)
    if not binaries:
        return Domain([x])
    b = binary("b", binaries)
    return Domain([x, b], [10 * x.sum() + b.sum() <= 5 * count])


def grid(size: int) -> Domain:
    """The arcs of a path from one corner of a square grid to the other, right and down."""
    spots = [(i, j) for i in range(size) for j in range(size)]
    arcs = [((i, j), (i, j + 1)) for i, j in spots if j + 1 < size]
    arcs += [((i, j), (i + 1, j)) for i, j in spots if i + 1 < size]
    x, rows = binary("x", len(arcs)), []
    for spot in spots:
        out = sum(x[k] for k, arc in enumerate(arcs) if arc[0] == spot)
        into = sum(x[k] for k, arc in enumerate(arcs) if arc[1] == spot)
        rows.append(out - into == (spot == spots[0]) - (spot == spots[-1]))
    return Domain([x], rows)


def permutation(size: int) -> Domain:
    """As many integers, all different."""
    p = integer("p", 0, size - 1, size)
    return Domain([p], [all_different(p)])


def machines(jobs: int, count: int) -> Domain:
    """Jobs of sizes from 1 to 9 on machines, each of which takes a third more than its share of all."""
    m, sizes = categorical("m", list(range(count)), jobs), np.random.default_rng(4).integers(1, 10, jobs)
    most = int(sizes.sum()) * 4 // (3 * count)
    return Domain([m], [(sizes * (m == k)).sum() <= most for k in range(count)])


def rows(count: int, sums: int) -> Domain:
    """Binaries, and random rows of ten of them of which at most three may be on."""
    x, rng = binary("x", count), np.random.default_rng(3)
    chosen = [rng.choice(count, 10, replace=False) for _ in range(sums)]
    return Domain([x], [sum(x[int(i)] for i in row) <= 3 for row in chosen])


def free(count: int) -> Domain:
    """Binaries without constraints."""
    return Domain([binary("x", count)])


DOMAINS: dict[str, Callable[[], Domain]] = {
    "blocks-100": lambda: blocks(100),
    "blocks-400": lambda: blocks(400),
    "chain-15x20": lambda: chain(15, 20),
    "chain-32x32": lambda: chain(32, 32),
    "chain-64x20": lambda: chain(64, 20),
    "dna-60": lambda: dna(60),
    "dna-100": lambda: dna(100),
    "dna-150": lambda: dna(150),
    "subset-10of100": lambda: subset(10, 100),
    "subset-50of500": lambda: subset(50, 500),
    "budget-100": lambda: budget(100),
    "amounts-100": lambda: amounts(100, "onehot"),
    "numbers-100": lambda: amounts(100, "integer"),
    "numbers-thousand": lambda: amounts(10**3, "integer"),
    "numbers-million": lambda: amounts(10**6, "integer"),
    "numbers-billion": lambda: amounts(10**9, "integer"),
    "reals-20": lambda: reals(20, 0),
    "reals-5-binaries-20": lambda: reals(5, 20),
    "grid-10": lambda: grid(10),
    "grid-15": lambda: grid(15),
    "permutation-12": lambda: permutation(12),
    "permutation-20": lambda: permutation(20),
    "machines-40x12": lambda: machines(40, 12),
    "rows-200x40": lambda: rows(200, 40),
    "rows-1000x100": lambda: rows(1000, 100),
    "free-1000": lambda: free(1000),
    "free-5000": lambda: free(5000),
}
NAMES = tuple(f"structured/{name}" for name in DOMAINS)


def structured(name: str) -> Problem:
    """The problem `structured/<shape>`."""
    domain = DOMAINS[name.removeprefix("structured/")]()
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(domain.features, UNITS)) / np.sqrt(domain.features)
    output = rng.normal(size=UNITS)

    def evaluate(points: IntArray) -> FloatArray:
        """The random network."""
        values: FloatArray = np.tanh(domain.encode(points) @ weights) @ output
        return values

    return Problem(name, domain, evaluate, source="a random network on a generated domain", citation="milbox")
