"""Design a DNA sequence that binds a transcription factor and can be synthesised.

The values are real: binding of the human transcription factor CRX to all 65,536 sequences of eight letters,
measured on protein-binding microarrays (Barrera et al., Science 2016). Because all of them were measured,
we can say afterwards how good the sequence found is among all that may be made. milbox sees only what it
asks for.
"""

import argparse
import sys
from math import ceil, log10
from pathlib import Path

import milbox as mb
from milbox.bench.problems import load

parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("--budget", type=int, default=150)
parser.add_argument("--initial", type=int, default=40)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--factor", default="CRX_REF_R1")
parser.add_argument("--picture", type=Path)

# [domain]
base = mb.categorical("base", list("ACGT"), 8)
domain = mb.Domain(
    [base],
    [
        mb.no_runs(base, 2),  # AAA and its like confuse synthesis and sequencing
        mb.share(base, "GC", 0.35, 0.65),  # three to five of eight: melts where we want it to
        mb.without(base, "GAATTC", "GGATCC", "AAGCTT"),  # EcoRI, BamHI and HindIII are needed for cloning
        mb.without(base, "GC" * 3, "AT" * 3),  # repeats slip
    ],
)
# [domain]


def main() -> None:
    options = parser.parse_args()
    try:
        measured = load(f"tfbind/{options.factor}")
    except mb.DataError as error:
        sys.exit(f"this example needs the TfBind data: {error}")

    # [run]
    result = mb.maximize(
        measured.objective, domain, options.budget, initial=options.initial, seed=options.seed
    )
    # [run]

    best = result.best
    allowed = list(domain)
    values = sorted((measured.value(point) for point in allowed), reverse=True)
    rank = sum(value > best.value for value in values) + 1
    print(f"{len(allowed):,} of {domain.box_size:,} sequences may be made")
    print(
        f"found one of the best {10 ** max(1, ceil(log10(rank))):,} after {len(result.trials)} measurements"
    )
    print(f"it binds with {best.value:.2f}, the best that may be made with {values[0]:.2f}")
    if options.picture:
        draw(options.picture, result, options.initial, values[0])


def draw(path: Path, result: mb.Result, initial: int, optimum: float) -> None:
    """Progress, and a logo of the best tenth of what was measured."""
    from matplotlib.patches import PathPatch
    from matplotlib.text import TextPath
    from matplotlib.transforms import Affine2D
    from pictures import GREEN, INK, panels, progress, save

    figure, (left, right) = panels(1.1, 1)
    progress(left, [t.value for t in result.trials], initial, minimize=False, label="binding (0 to 1)")
    left.axhline(optimum, color=GREEN, linewidth=1, linestyle=":")
    left.annotate("best that may be made", (initial / 2, optimum), color=GREEN, va="bottom", fontsize=8)
    left.legend(loc="lower right")
    left.set_title(f"{len(result.trials)} of 65,536 sequences measured")

    finished = sorted((t for t in result.trials if t.value is not None), key=lambda t: -t.value)
    top = [t.assignment["base"] for t in finished[: max(5, len(finished) // 10)]]
    colours = {"A": "#2f855a", "C": "#2563ab", "G": "#d97706", "T": "#c53030"}
    for place in range(8):
        height = 0.0
        shares = {letter: sum(s[place] == letter for s in top) / len(top) for letter in "ACGT"}
        for letter, share in sorted(shares.items(), key=lambda item: item[1]):
            if share:
                glyph = TextPath((0, 0), letter, size=1)
                box = glyph.get_extents()
                move = (
                    Affine2D()
                    .translate(-box.x0, -box.y0)
                    .scale(0.9 / box.width, share / box.height)
                    .translate(place + 0.05, height)
                )
                right.add_patch(PathPatch(move.transform_path(glyph), color=colours[letter], linewidth=0))
                height += share
    right.set(xlim=(0, 8), ylim=(0, 1), xlabel="position", ylabel="share")
    right.set_xticks([i + 0.5 for i in range(8)], range(1, 9))
    right.tick_params(colors=INK)
    right.set_title(f"the best {len(top)} of them")
    save(figure, path)


if __name__ == "__main__":
    main()
