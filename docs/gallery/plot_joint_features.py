"""
Joint features
==============

f(x, y) puts the features of x into the block of class y. So the scores of all classes are inner products with one weight vector.
"""

import matplotlib.pyplot as plt
import numpy as np

from lxmls_day1.figures.joint_feature_table import plot_joint_features

topics = ["sports", "politics", "travel"]
params = np.array([[0.0, 0.1, 0.2], [1.5, -0.5, -0.2], [-1.0, 2.0, 0.1], [1.0, -0.3, 0.4]])  # (J + 1, K)
g = np.array([1.0, 1.0, 0.0, 1.0])  # 1, then: "Ronaldo" occurs, "parliament" does not, "goal" does
fig, axis = plt.subplots(figsize=(12, 3.4), layout="constrained")
plot_joint_features(g, params, topics, axis)

# %%
# The inner product with f(x, y) equals the score from the column of the class:

for label, topic in enumerate(topics):
    f = np.kron(np.eye(3)[label], g)
    print(f"{topic:9} w·f(x, y) = {params.T.ravel() @ f:5.2f}   w_y·g(x) = {(g @ params)[label]:5.2f}")
