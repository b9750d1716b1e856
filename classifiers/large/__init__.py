"""Methods for corpora larger than memory, written for reading; the package contains the versions that run on such corpora.

``hashed_features.py`` computes a word's column and sign from its hash; ``parameter_mixing.py`` averages the weights learnt on several
parts of the data.
"""
