"""
Domain adaptation
=================

A classifier trained on book reviews labels reviews of kitchen products. General words ("excellent", "awful") mean the same in both
domains; others ("gripping", "sharp") occur in only one domain, and are unknown to a classifier trained on the other.
"""

# %%
# Synthetic reviews of three domains: each has few of the 12 words that all domains share, and more of the 60 words of its own domain.
# Every word is evidence for one of the two labels, and occurs twice as often in reviews with that label.

import matplotlib.pyplot as plt
import numpy as np

from classifiers import SVM
from classifiers.domains.domain_adaptation import (
    choose_pivots,
    correspondences,
    train_augmented,
    train_with_correspondences,
)

names, n_shared, n_own, n_reviews = ["books", "dvd", "kitchen"], 12, 60, 400
rng = np.random.default_rng(7)


def reviews_of(domain):
    """Return a matrix of present words, and labels: even columns are evidence for label 0, odd columns for label 1."""
    labels = rng.integers(2, size=n_reviews)
    speaks = np.arange(n_shared + len(names) * n_own) % 2 == labels[:, None]
    own = np.zeros(speaks.shape[1], dtype=bool)
    own[:n_shared] = True
    own[n_shared + domain * n_own : n_shared + (domain + 1) * n_own] = True
    return (rng.random(speaks.shape) < own * np.where(speaks, 0.16, 0.08)).astype(float), labels


train, test = ([reviews_of(domain) for domain in range(len(names))] for _ in range(2))

# %%
# Three methods. *Source only* applies the classifier to the other domain directly. *Correspondences* also uses the other domain's
# texts, without labels. *Augmentation* uses 50 of its labels.

svm = SVM(regularizer=0.01, solver="dual")
accuracies = {way: np.full((3, 3), np.nan) for way in ("source only", "correspondences", "augmentation")}
for s, (source_X, source_y) in enumerate(train):
    for t, (target_X, target_y) in enumerate(train):
        if s == t:
            continue
        pivots = choose_pivots(source_X, source_y, target_X, nr_pivots=n_shared)
        theta = correspondences(np.vstack([source_X, target_X]), pivots, nr_dimensions=1)
        learnt = {
            "source only": svm.train(source_X, source_y),
            "correspondences": train_with_correspondences(svm, source_X, source_y, theta),
            "augmentation": train_augmented(svm, source_X, source_y, target_X[:50], target_y[:50]),
        }
        for way, params in learnt.items():
            accuracies[way][s, t] = svm.evaluate(test[t][1], svm.test(test[t][0], params))

# %%
# The accuracies in percent: the row is the training domain, the column is the test domain.

fig, axes = plt.subplots(1, 3, figsize=(11.5, 3.9), sharey=True, layout="constrained")
for ax, (way, table) in zip(axes, accuracies.items(), strict=True):
    ax.imshow(table, vmin=0.4, vmax=1.0, cmap="Blues")
    for (s, t), accuracy in np.ndenumerate(table):
        if s != t:
            ax.text(t, s, f"{100 * accuracy:.1f}", ha="center", va="center")
    ax.set(title=way, xlabel="tested on")
    ax.set_xticks(range(3), names)
    ax.set_yticks(range(3), names)
axes[0].set_ylabel("learnt from")
