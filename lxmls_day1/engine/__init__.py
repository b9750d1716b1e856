"""The engine: what is fast and large.

=============  ==================================================================
``compiled``   kernels that numba compiles, and their twins in NumPy
``text``       from files and texts to matrices
``streaming``  corpora on disk: making, reading, training, checkpoints
``cluster``    training in parts, on a Dask cluster
=============  ==================================================================
"""
