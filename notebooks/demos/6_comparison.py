# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # All of them: size, variance, balance
#
# Exercise 1.8: the accuracy of every classifier as a function of the number of points, their variance and the balance, with error
# bars over seeds. The curves are computed while you watch; stop at any time.

# %%
from lxmls_day1.demos.comparison_sweep import DemoComparison
from lxmls_day1.lab import Lab

demo = DemoComparison(Lab.open())
demo.show()
