"""The section on variables and pairs that matter, with its caveats."""

import numpy as np

from milbox.page.analysis.effects import (
    FEWEST,
    MOST_TRIALS,
    SHUFFLES,
    Effects,
    PairEffect,
)
from milbox.page.formats import count, number, share, short
from milbox.page.sections.scalars import LARGEST, effects_of
from milbox.page.svg.charts import table
from milbox.page.svg.markup import Markup, joined, tag, text
from milbox.trials.record import Record

# Rows of the table, and the values that a row lists.
VARIABLES, PAIRS, LEVELS = 20, 8, 12


def importance(record: Record) -> Markup:
    """The variables and pairs that matter, as far as the finished trials tell."""
    if len(record.finished) < FEWEST:
        missing = f"At least {FEWEST} finished trials are needed to say which variables matter."
        return tag("p", text(missing), class_="quiet")
    if np.abs(record.values).max() > LARGEST:
        return tag("p", text("The values are too large to be compared."), class_="quiet")
    effects = effects_of(record)
    if effects is None:
        return tag("p", text("All values, or all points, are alike so far."), class_="quiet")
    return joined(
        [
            tag("p", text(reading(effects))),
            importance_table(effects),
            tag(
                "details",
                tag("summary", text("How it was computed, and how not to read it")),
                tag("p", text(caveats(record, effects)), class_="caption"),
            ),
        ]
    )


def reading(effects: Effects) -> str:
    """The section in two or three sentences."""
    standing = [effect for effect in effects.variables if effect.spread > effects.chance]
    pairs = [pair for pair in effects.pairs if abs(pair.correlation) > effects.pair_chance]
    explained = (
        f"A model that adds up one effect per variable predicts a trial from the others with "
        f"{share(effects.explained)} of the variance explained."
        if effects.explained > 0
        else "A model that adds up one effect per variable predicts a trial from the others no better than "
        "the mean does, so little can be read from the effects below."
    )
    many = len(effects.variables)
    which = (
        f"{count(len(standing), 'variable')} of {many:,} {'stands' if len(standing) == 1 else 'stand'} out "
        f"from chance"
        if standing
        else f"None of the {count(many, 'variable')} stands out from chance"
    )
    also = (
        f"; so {'does' if len(pairs) == 1 else 'do'} {count(len(pairs), 'pair')} of them."
        if pairs
        else "; no pair of them does."
    )
    if not effects.pairs:
        also = "."
    return f"{explained} {which}{also}"


def caveats(record: Record, effects: Effects) -> str:
    """The method, and the caveats of reading its numbers."""
    notes = [
        f"Ridge regression on {count(effects.trials, 'finished trial')}"
        + (f", drawn at random from {len(record.finished):,}" if len(record.finished) > MOST_TRIALS else "")
        + ", the penalty chosen by leaving one trial out; effects are relative to the mean over the trials.",
        "A variable's strength is the spread of its effects; a pair's is the correlation of what that model "
        "leaves over with the product of the two "
        f"centred indicators. To stand out is to exceed the largest that the same analysis finds in "
        f"{SHUFFLES} shuffles of the model's errors, which chance does once in {SHUFFLES + 1} times.",
        "These are associations among the points tried, not causes: proposals crowd round good points, so "
        "values that were seldom tried, or only together with others, are judged poorly.",
    ]
    if effects.unchanged:
        notes.append(f"{count(effects.unchanged, 'variable')} had the same value in every trial.")
    if effects.screened:
        notes.append(
            f"{count(effects.screened, 'variable')} with the weakest relation to the values left out."
        )
    return " ".join(notes)


def pair_text(pair: PairEffect) -> str:
    """Two values, or the larger values of integers that took many."""
    return " & ".join(
        f"{short(name, 40)} = {short(level, 26)}" if level else f"larger {short(name, 40)}"
        for name, level in zip(pair.names, pair.levels, strict=True)
    )


def importance_table(effects: Effects) -> Markup:
    """The strongest variables and pairs, strongest first, and the effects of the variables' values."""
    variables = [
        (
            effect.name,
            number(effect.spread, 3),
            effect.spread > effects.chance,
            ", ".join(
                f"{short(level.shown, 20)} {number(level.effect, 3)} ({level.tried:,}×)"
                for level in sorted(effect.levels, key=lambda level: -level.effect)[:LEVELS]
            ),
        )
        for effect in effects.variables[:VARIABLES]
    ]
    pairs = [
        (
            pair_text(pair),
            number(pair.correlation, 2),
            abs(pair.correlation) > effects.pair_chance,
            "together more than their effects added" if pair.correlation > 0 else "together less",
        )
        for pair in effects.pairs[:PAIRS]
    ]
    rows = [
        [text(short(name, 90)), text(strength), text("yes" if stands else "no"), text(words)]
        for name, strength, stands, words in (*variables, *pairs)
    ]
    head = ("variable or pair", "strength", "stands out", "effects of its values (times tried)")
    return table(head, rows, "The variables and pairs that matter most", [1])
