"""The kinds of constraints, and the functions that build them."""
