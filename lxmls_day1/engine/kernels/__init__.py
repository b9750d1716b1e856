"""The loops that are compiled, each beside its twin in NumPy. A leaf: imported when a learner trains, not before.

==================  ==========================================================================
``primitives``      whether kernels are compiled or their twins in NumPy run
``machine_code``    compiling, and the cache of machine code
``intrinsics``      types and instructions that the kernels take from numba
``threads``         calls that run beside one another, where there are threads
``row_primitives``  a row of a CSR matrix times a weight matrix, and a row added to it
``sparse_rows``     examples as the kernels read them; the loop of online learning
``row_steps``       the weights of online learners with their average, and a rule at work on rows
``batch``           objective and gradient of the batch learners
``svm_sweeps``      the sweeps of the dual SVM
``max_ent_sweeps``  the sweeps of dual coordinate ascent for maximum entropy
``l1_steps``        the steps of maximum entropy with sparse weights
``tree_reduce``     sums whose bits do not depend on who adds them
``row_scores``      the scores of all rows
``class_sums``      the rows of each class summed
``hashing``         MurmurHash3 of features' names: bucket and sign
``token_rows``      texts to rows of token counts, hashed or numbered
``svmlight_lines``  lines of svmlight features to numbers
``chain_search``    tag sequences: the scores of a sentence and its best path
``chain_sums``      tag sequences: sums over all of them, for conditional random fields
``chain_rounds``    tag sequences: whole data sets, and the loop of the structured learners
==================  ==========================================================================
"""
