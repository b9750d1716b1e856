# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # MIRA's step, and column squishing
#
# For one example, see its margin before and after the step, the step τ as a function of λ, and the cap; and the scores of all classes
# before and after the steps of MIRA and of column squishing.

# %%
from lxmls_day1.demos.mira_step import DemoMiraStep
from lxmls_day1.lab import Lab

demo = DemoMiraStep(Lab.open())
demo.show()
