"""Figures printed in the paper, for reports that put ours next to them."""

SOLVE_SECONDS = {
    "Linear": (0.004, 0.4, 1.4, 2.9, 16.9, 0.0),
    "FC(16)": (0.02, 2.2, 8.0, 15.5, 60.8, 0.0),
    "FC(32)": (0.04, 11.7, 49.2, 85.5, 300.0, 0.1),
    "FC(16,16)": (0.40, 12.2, 55.6, 109.1, 300.0, 2.1),
}
"""Table 2, TfBind with SCIP 7: min, median, 95 %, 99 %, max in seconds, and the share at the limit in %."""

INNER_SECONDS = {
    ("unconstrained", "FC(16)", "published"): (7.92, 4.23),
    ("unconstrained", "FC(16)", "NN+RegEvo"): (9.00, 1.94),
    ("ising/400", "FC(16)", "published"): (17.20, 12.08),
    ("ising/400", "FC(16)", "NN+ConEvo"): (56.80, 15.18),
}
"""Section 4.4: average and standard deviation of the inner-loop optimisation, in seconds."""

SOLVER = "SCIP 7, a program"

CLASSES = ("graphpart", "pb", "qspp", "other")
"""The classes of Table 1, with 31, 8, 6 and 16 problems."""

TRIALS = 20
"""Of each MINLPLib instance."""

GAPS_BY_INSTANCE = {
    "cardqp_inlp": (5, 14, 20),
    "cardqp_iqp": (5, 14, 20),
    "crossdock_15x7": (0, 0, 20),
    "crossdock_15x8": (0, 0, 20),
    "graphpart_2g-0044-1601": (17, 17, 20),
    "graphpart_2g-0055-0062": (0, 2, 19),
    "graphpart_2g-0066-0066": (0, 0, 17),
    "graphpart_2g-0077-0077": (0, 0, 7),
    "graphpart_2g-0088-0088": (0, 0, 7),
    "graphpart_2g-0099-9211": (0, 0, 2),
    "graphpart_2g-1010-0824": (0, 0, 0),
    "graphpart_2pm-0044-0044": (20, 20, 20),
    "graphpart_2pm-0055-0055": (13, 13, 20),
    "graphpart_2pm-0066-0066": (6, 6, 16),
    "graphpart_2pm-0077-0777": (0, 0, 7),
    "graphpart_2pm-0088-0888": (0, 0, 6),
    "graphpart_2pm-0099-0999": (0, 0, 3),
    "graphpart_3g-0234-0234": (0, 4, 19),
    "graphpart_3g-0244-0244": (0, 1, 17),
    "graphpart_3g-0333-0333": (4, 4, 19),
    "graphpart_3g-0334-0334": (0, 0, 16),
    "graphpart_3g-0344-0344": (0, 1, 10),
    "graphpart_3g-0444-0444": (0, 0, 8),
    "graphpart_3pm-0234-0234": (7, 7, 19),
    "graphpart_3pm-0244-0244": (0, 0, 17),
    "graphpart_3pm-0333-0333": (1, 1, 15),
    "graphpart_3pm-0334-0334": (0, 0, 12),
    "graphpart_3pm-0344-0344": (0, 0, 5),
    "graphpart_3pm-0444-0444": (0, 0, 6),
    "graphpart_clique-20": (20, 20, 20),
    "graphpart_clique-30": (20, 20, 20),
    "graphpart_clique-40": (13, 13, 18),
    "graphpart_clique-50": (0, 0, 0),
    "graphpart_clique-60": (0, 0, 0),
    "graphpart_clique-70": (0, 0, 0),
    "pb302035": (0, 0, 0),
    "pb302055": (0, 0, 20),
    "pb302075": (6, 6, 20),
    "pb302095": (16, 20, 20),
    "pb351535": (0, 0, 18),
    "pb351555": (1, 4, 20),
    "pb351575": (0, 10, 20),
    "pb351595": (7, 20, 20),
    "qap": (0, 0, 7),
    "qspp_0_10_0_1_10_1": (5, 5, 20),
    "qspp_0_11_0_1_10_1": (9, 20, 20),
    "qspp_0_12_0_1_10_1": (13, 13, 20),
    "qspp_0_13_0_1_10_1": (0, 19, 20),
    "qspp_0_14_0_1_10_1": (0, 16, 20),
    "qspp_0_15_0_1_10_1": (12, 13, 20),
}
"""Table 3: of 20 trials, how many with a primal gap of 0, at most 1 % and at most 10 %."""

NEVER_WITHIN_10 = ("celar6-sub0", "color_lab", "maxcsp")
"""How the names of the 11 instances begin that Table 3 leaves out since no trial came within 10 %."""


def counts(instance: str) -> tuple[int, int, int] | None:
    """Of the paper's 20 trials of an instance, how many had a gap of 0, at most 1 % and at most 10 %.

    None for an instance that the paper does not have.
    """
    return (0, 0, 0) if instance.startswith(NEVER_WITHIN_10) else GAPS_BY_INSTANCE.get(instance)


def shares(instance: str) -> tuple[float, ...] | None:
    """`counts` as shares of the trials."""
    found = counts(instance)
    return None if found is None else tuple(count / TRIALS for count in found)
