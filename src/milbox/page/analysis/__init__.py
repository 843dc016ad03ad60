"""Regressions of the values on the variables."""
