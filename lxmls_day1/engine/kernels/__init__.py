"""Compiled loops, each with a counterpart in NumPy. A leaf package: imported only when a learner trains."""
