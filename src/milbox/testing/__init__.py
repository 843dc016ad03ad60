"""Conformance suites for solvers, learners, inner solvers and strategies.

Suites that any implementation inherits, ours or a third party's; they need pytest and Hypothesis:

    from milbox.testing.solvers import SolverConformance

    class TestMySolver(SolverConformance):
        solver = MySolver()
"""
