"""Hard constraints between discrete parameters, and certified proposals."""

from milbox.integrations.optuna import MilboxSampler

__all__ = ["MilboxSampler"]
