"""Corpora that are larger than memory, for reading; what runs on them is in the package.

``hashed_features.py`` takes a word's column and sign from its hash; ``parameter_mixing.py`` mixes what several parts have learnt.
"""
