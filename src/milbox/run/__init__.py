"""The only loop: ask, evaluate, tell, until the budget is spent or nothing is left."""

from milbox.run.evaluation import Objective
from milbox.run.loop import evaluations, run
from milbox.run.optimise import maximize, minimize, optimize
from milbox.run.result import Result
from milbox.run.stopping import Stop

__all__ = ["Objective", "Result", "Stop", "evaluations", "maximize", "minimize", "optimize", "run"]
