# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # What a line cannot do
#
# Crossed corners, a ring: a line is right half of the time. A kernel perceptron and nearest neighbours find the shape, and keep the examples.

# %%
from lxmls_day1.demos.beyond_a_line import DemoBeyondALine
from lxmls_day1.lab import Lab

demo = DemoBeyondALine(Lab.open())
demo.show()
