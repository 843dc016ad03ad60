"""Journals of a plan as arrays, and what is computed from them."""
