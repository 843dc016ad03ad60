"""Exact search of a pairwise model near a point."""
