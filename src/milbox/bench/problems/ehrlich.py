"""Ehrlich functions: sequences that contain spaced motifs and no forbidden transition (Stanton et al. 2024).

A random Markov chain over an alphabet forbids some pairs of neighbouring letters. Every motif is a list of
letters at fixed distances. A sequence is worth the product over the motifs of the largest share of a
motif's letters that stand in their places somewhere in the sequence, rounded down to the quantisation; a
sequence that holds every motif is worth 1. A solution exists by construction: the motifs are one walk of
the chain, cut into pieces, and every letter may follow itself.

The package that the authors published draws from PyTorch's generator; these instances have the same
distributions, drawn by NumPy.
"""

from dataclasses import dataclass

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.bench.problems.problem import Problem
from milbox.domain import Domain, automaton, categorical

AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
INSTANCES = 10
TEMPERATURE = 0.5  # of the softmax that makes transition probabilities of standard normal numbers
BAND = 0.4  # of the letters, on each side, may follow a letter


@dataclass(frozen=True, slots=True)
class Size:
    """The parameters of a published benchmark; the quantisation is the length of a motif."""

    letters: tuple[str, ...]
    length: int
    motifs: int
    motif_length: int
    source: str


HDBO = "González-Duque et al., A survey and benchmark of high-dimensional Bayesian optimization, 2024"
HOLO = "Stanton et al., Closed-Form Test Functions for Biophysical Sequence Optimization Algorithms, 2024"

SIZES = {
    "ehrlich/15": Size(tuple(AMINO_ACIDS), 15, 2, 5, HDBO),
    "ehrlich/32": Size(tuple(f"s{state}" for state in range(32)), 32, 4, 4, HOLO),
    "ehrlich/64": Size(tuple(AMINO_ACIDS), 64, 4, 10, HDBO),
    "pestcontrol": Size(tuple("ABCDE"), 25, 1, 25, HDBO),
}
"""PestControl is the Ehrlich function of that problem's size, 25 stages of 5 choices, of the same survey."""

NAMES = tuple(f"{size}/{seed}" for size in SIZES for seed in range(INSTANCES))


@dataclass(frozen=True, slots=True)
class Ehrlich:
    """An Ehrlich function: motifs, the places of their letters, and the levels of a motif's share."""

    motifs: IntArray  # (motifs, motif length)
    offsets: IntArray  # (motifs, motif length), from the first letter of a motif
    quantisation: int

    def __call__(self, points: IntArray) -> FloatArray:
        """The values of feasible sequences, one row of letters each."""
        value = np.ones(len(points))
        for motif, offsets in zip(self.motifs, self.offsets, strict=True):
            value *= self.share(points, motif, offsets)
        return value

    def share(self, points: IntArray, motif: IntArray, offsets: IntArray) -> FloatArray:
        """The largest quantised share of a motif's letters that are in place, over every position of it."""
        starts = np.arange(points.shape[1] - offsets[-1])
        met = (points[:, starts[:, None] + offsets] == motif).sum(axis=2).max(axis=1)
        step = -(-len(motif) // self.quantisation)
        return np.asarray((met // step) / (len(motif) / step))


def transitions(letters: int, rng: np.random.Generator) -> FloatArray:
    """A random matrix of transition probabilities: a band of letters in a random order, and the diagonal."""
    weights = np.exp(rng.standard_normal((letters, letters)) / TEMPERATURE)
    reach = int(letters * BAND)
    distance = np.abs(np.arange(letters)[:, None] - np.arange(letters))
    band = np.minimum(distance, letters - distance) <= reach
    allowed = band[rng.permutation(letters)] | np.eye(letters, dtype=bool)
    weights = np.where(allowed, weights, 0.0)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def stationary(chain: FloatArray) -> FloatArray:
    """The distribution that the chain keeps."""
    letters = len(chain)
    system = np.vstack([np.eye(letters) - chain.T, np.ones(letters)])
    return np.asarray(np.linalg.lstsq(system, np.eye(letters + 1)[-1], rcond=None)[0])


def walk(chain: FloatArray, steps: int, rng: np.random.Generator) -> IntArray:
    """A walk of the chain from its stationary distribution."""
    first = np.clip(stationary(chain), 0.0, None)
    letters = [int(rng.choice(len(chain), p=first / first.sum()))]
    while len(letters) < steps:
        letters.append(int(rng.choice(len(chain), p=chain[letters[-1]])))
    return np.array(letters, dtype=np.int64)


def spaced(size: Size, rng: np.random.Generator) -> IntArray:
    """The places of a motif's letters: a random share of the positions that the motifs leave free."""
    free = (size.length - size.motifs * size.motif_length) // size.motifs
    weights = rng.random(size.motif_length - 1)
    gaps = 1 + np.floor(free * weights / weights.sum()).astype(np.int64)
    return np.concatenate([[0], np.cumsum(gaps)])


def draw(size: Size, seed: int) -> tuple[FloatArray, Ehrlich]:
    """The chain and the function of an instance."""
    rng = np.random.default_rng([size.length, size.motifs, seed])
    chain = transitions(len(size.letters), rng)
    motifs = walk(chain, size.motifs * size.motif_length, rng).reshape(size.motifs, size.motif_length)
    offsets = np.stack([spaced(size, rng) for _ in range(size.motifs)])
    return chain, Ehrlich(motifs, offsets, size.motif_length)


def ehrlich(name: str) -> Problem:
    """The problem `ehrlich/<length>/<seed>` or `pestcontrol/<seed>`; forbidden transitions are declared."""
    kind, _, seed = name.rpartition("/")
    size = SIZES[kind]
    chain, function = draw(size, int(seed))
    sequence = categorical("letter", list(size.letters), size.length)
    allowed = chain > 0
    first = [("start", letter, letter) for letter in size.letters]
    following = [(size.letters[i], size.letters[j], size.letters[j]) for i, j in np.argwhere(allowed)]
    rules = [] if allowed.all() else [automaton(sequence, first + following, "start", size.letters)]
    return Problem(
        name=name,
        domain=Domain([sequence], rules),
        evaluate=function,
        source=(
            f"Ehrlich function of {size.motifs} motifs of {size.motif_length} over {len(size.letters)} "
            f"letters, drawn by NumPy from seed {seed}; parameters of {size.source}"
        ),
        citation=HOLO,
        optimum=1.0,
    )
