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
# On crossed corners and on a ring every line is wrong half of the time. A kernel perceptron and nearest neighbours find the shape, but
# have to store examples.

# %%
from lxmls_day1.demos.beyond_a_line import DemoBeyondALine
from lxmls_day1.lab import Lab

demo = DemoBeyondALine(Lab.open())
demo.show()
