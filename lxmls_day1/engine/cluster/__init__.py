"""The workers of a Dask cluster: which of them may work, and training on them.

===========  ==========================================================================
``workers``  the workers that a scheduler has: those of another version are refused
``parts``    parts of a corpus on disk, each given to a worker that has its files
``online``   the online learners' parts; what of it runs on a worker
``sums``     the sums of the batch learners; what of it runs on a worker
===========  ==========================================================================
"""
