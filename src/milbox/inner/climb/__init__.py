"""Climbs from the best points known to a good untried point."""

from milbox.inner.climb.climbs import as_network, climbed, listed_options

__all__ = ["as_network", "climbed", "listed_options"]
