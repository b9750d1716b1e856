"""The compiled loops, and how they are compiled. A leaf: imported when a learner trains, not before.

==================  ==========================================================================
``machine_code``    compiling, and the cache of machine code
``sparse_rows``     rows of a CSR matrix against a weight matrix; the loop of online learning
``online_steps``    the weights of online learners with their average, and a rule at work on rows
``batch``           objective and gradient of the batch learners
``dual``            the sweeps of the dual SVM
``chains``          tag sequences: the best path, and the loop of the structured learners
==================  ==========================================================================
"""
