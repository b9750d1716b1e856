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
# The Gaussian that AROW keeps over two weights, as an ellipse: the mean moves, the half-axes shrink, that of the rare word last.

# %%
from lxmls_day1.demos.confidence import DemoConfidence
from lxmls_day1.lab import Lab

demo = DemoConfidence(Lab.open())
demo.show()
