"""Exact branch and bound over the paths of decision diagrams."""
