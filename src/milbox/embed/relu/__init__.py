"""ReLU networks as rows: bounds of neurons, big-M rows, and convex-hull inequalities."""

from milbox.embed.relu import rows

__all__ = ["rows"]
