"""Interfaces of other tools round milbox's strategies."""
