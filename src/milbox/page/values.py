"""Numbers of a study as the page shows them: values that are drawn, and gaps without rounding."""

import numpy as np

from milbox.trials import Certificate
from milbox.trials.record import Record

# Bound and value of a solver differ by no more than this when they are meant to be the same.
ROUNDING = 1e-9


def worst_shown(record: Record) -> float:
    """A value so far on the bad side that what lies beyond is drawn at the edge.

    Four times as far from the median as the best value is, where some value is ten times as far: a few
    failures that were given a huge penalty would otherwise press everything else into one line.
    """
    values = record.sign * record.values
    best, middle, worst = float(values.max()), float(np.median(values)), float(values.min())
    # Quotients, since the differences of huge numbers may overflow.
    far = (middle / 10 - worst / 10) > best - middle > 0
    return record.sign * (middle - 4 * (best - middle) if far else worst)


def gap(certificate: Certificate) -> float:
    """The certificate's gap, without what rounding puts between two equal numbers."""
    return certificate.gap if certificate.gap > ROUNDING else 0.0
