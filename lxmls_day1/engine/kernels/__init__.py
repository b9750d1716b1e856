"""The loops that are compiled, each beside its twin in NumPy. A leaf: imported when a learner trains, not before."""
