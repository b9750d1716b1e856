# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Optimisation: the way down
#
# The same minimum, by methods that pay for it in different coins: objectives against passes over the data and against
# seconds. Maximum entropy by L-BFGS, gradient descent, iterative scaling and stochastic gradient; the SVM by its dual,
# with the gap in which its optimum lies. Choose the data and λ, and in what the stochastic curves differ.

# %%
from lxmls_day1.demos.optimisation import DemoOptimisation
from lxmls_day1.lab import Lab

demo = DemoOptimisation(Lab.open())
demo.show()
