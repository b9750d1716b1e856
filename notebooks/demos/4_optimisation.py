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
# Different methods reach the same minimum at different cost: the plots show the objective against passes over the data and
# against seconds. Maximum entropy is trained by L-BFGS, gradient descent, iterative scaling and stochastic gradient descent; the SVM by
# its dual, with the duality gap. Choose the data, λ, and the setting in which the stochastic curves differ.

# %%
from lxmls_day1.demos.optimisation import DemoOptimisation
from lxmls_day1.lab import Lab

demo = DemoOptimisation(Lab.open())
demo.show()
