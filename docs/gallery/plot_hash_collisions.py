"""
Collisions of hashed features
=============================

Hashing gives each word a column without a dictionary. Few columns mean many collisions. The measured fraction agrees with the formula.
"""

import matplotlib.pyplot as plt
import numpy as np

from classifiers.large.hashed_features import columns_and_signs

n_words = 5000
columns = 2 ** np.arange(8, 19)
hashes = np.random.default_rng(0).integers(-(2**31), 2**31, n_words)
shared = []
for n_columns in columns:
    column, _ = columns_and_signs(hashes, int(n_columns))
    shared.append(np.mean(np.bincount(column, minlength=int(n_columns))[column] > 1))
fig, axis = plt.subplots(figsize=(9, 5), layout="constrained")
axis.plot(
    columns,
    1 - (1 - 1 / columns) ** (n_words - 1),
    color="black",
    linestyle=":",
    label="expected: 1 − (1 − 1/B)^(n − 1)",
)
axis.plot(columns, shared, "o", label="counted")
axis.set(xscale="log", xlabel="number of columns B", ylabel="words that share their column", title="5000 words")
axis.set_xscale("log", base=2)
axis.legend()
