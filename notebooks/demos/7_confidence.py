# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Surer where it has seen more
#
# An ellipse shows AROW's Gaussian over two weights: the mean moves, and the half-axes shrink, the rare word's most slowly.

# %%
from lxmls_day1.demos.confidence import DemoConfidence
from lxmls_day1.lab import Lab

demo = DemoConfidence(Lab.open())
demo.show()
