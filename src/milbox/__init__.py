"""Black-box optimisation over constrained discrete domains, with certificates."""
