"""Training on a corpus on disk that is larger than the memory. A leaf.

==================  ==============================================================================
``shard_rows``      a corpus on disk where classifiers take a matrix: checked, and read in blocks
``streamed_steps``  online learning over the shards, with progressive validation
``mixed_steps``     iterative parameter mixing: parts of the corpus trained on at once, by threads or a cluster
``streamed_loss``   the log loss of all documents and its gradient, summed by a fixed tree
``checkpoint``      where a training is kept, so that it goes on after an interruption
==================  ==============================================================================
"""
