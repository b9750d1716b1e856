"""The engine: what is fast and large.

===================  ==================================================================
``learners``         what the engine asks of a learner
``examples``         rows and labels for a learner, checked
``rows``             the rows of a matrix as the compiled loops read them
``chains``           sentences as the compiled loops read them
``online_training``  the rounds of an online learner on data in memory
``objectives``       mean loss plus penalty, over the examples in memory or on disk
``penalties``        which λ to begin with, and a warning of one that is far too large
``word_counting``    counts of words by class
``training``         corpora on disk, checkpoints, clusters, and going on where it stopped
``compiled``         kernels that numba compiles, and their twins in NumPy
``text``             from files and texts to matrices
``streaming``        corpora on disk: making, reading, training, checkpoints
``cluster``          training in parts, on a Dask cluster
===================  ==================================================================
"""
