"""Training on a corpus on disk that is larger than the memory. A leaf.

==================  ==============================================================================
``shard_rows``      a corpus on disk where classifiers take a matrix: checked, and read in blocks
``streamed_steps``  online learning over the shards, with progressive validation
``checkpoint``      where a training is kept, so that it goes on after an interruption
==================  ==============================================================================
"""
