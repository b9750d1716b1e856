"""The workers of a Dask cluster: which of them may work, and training on them.

===========  ==========================================================================
``workers``  the connection to a scheduler; what an installation says of itself
``parts``    parts of a corpus on disk, each given to a worker that has its files and our version
``online``   the online learners' parts; what of it runs on a worker
``sums``     the sums of the batch learners; what of it runs on a worker
===========  ==========================================================================
"""
