"""
The lattice of tags
===================

A tag sequence is a path. Its score is the sum of its nodes and edges. Viterbi's algorithm finds the best path without trying all paths.
"""

import numpy as np

from classifiers.structured.viterbi import ChainScores, path_score, viterbi
from lxmls_day1.figures.lattice import lattice, plot_lattice

scores = ChainScores(
    emissions=np.array([[2.0, 1.0], [3.0, 2.0], [3.0, 1.0]]),  # (L, K)
    transitions=np.array([[-1.0, 2.0], [2.0, -2.0]]),  # from the tag of the row to the tag of the column
    start=np.array([1.0, 0.0]),
    stop=np.array([0.0, 0.0]),
)
best = viterbi(scores)
words, tags = ["fish", "watch", "boats"], ["NOUN", "VERB"]
fig, axis = plot_lattice(lattice(words, tags, scores, best.tolist()), title="three words, two tags", label_edges=True)

# %%
# Without the edges, each word would use its best node:

greedy = scores.emissions.argmax(axis=1)
print(f"best path {[tags[k] for k in best]}: {path_score(scores, best):g}; word by word {path_score(scores, greedy):g}")
