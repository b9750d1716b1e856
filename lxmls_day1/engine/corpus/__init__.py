"""A corpus on disk that is larger than the memory: made, read and trained on. A leaf.

====================  ===========================================================================================
``shards``            a corpus on disk: shards of a sparse matrix as mapped files, and their manifest
``shard_writing``     … written
``corpus_making``     … made from files of labelled examples, in one pass
``corpus_settings``   what decides how it comes out, besides these files
``vectorize_chunks``  pieces of these files as rows of token counts, by threads
``shard_rows``        a corpus on disk where classifiers take a matrix: checked, and read in blocks
``streamed_steps``    online learning over the shards
``mixed_steps``       iterative parameter mixing: parts of the corpus trained on at once, by threads or a cluster
``training_run``      what goes on beside the steps: progressive validation, checkpoints, a progress bar
``streamed_loss``     the log loss of all documents and its gradient, summed by a fixed tree
``checkpoint``        where a training is kept, so that it goes on after an interruption
====================  ===========================================================================================
"""

from lxmls_day1.base.lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__file__)
