# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Online learners, step by step
#
# The perceptron, one example at a time: the mistake, the weight vector before and after it, the boundary turning, and the
# count against the mistake bound. Then perceptron, MIRA, SVM and maximum entropy side by side on the same order.

# %%
from lxmls_day1.demos.online_steps import DemoOnlineSteps
from lxmls_day1.lab import Lab

demo = DemoOnlineSteps(Lab.open())
demo.show()
