"""Exact branch and bound over the paths of decision diagrams.

It is to take the place of the search over blocks (`inner/branch*.py`); `Auto` does not choose it yet.
"""

from milbox.inner.search.branch import DiagramSearch

__all__ = ["DiagramSearch"]
