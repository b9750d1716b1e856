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
# Watch the perceptron, one example at a time: the mistake, the weight vector before and after it, the turning boundary, and the
# number of mistakes against the mistake bound. Then compare the perceptron, MIRA, the SVM and maximum entropy on the same order.

# %%
from lxmls_day1.demos.online_steps import DemoOnlineSteps
from lxmls_day1.lab import Lab

demo = DemoOnlineSteps(Lab.open())
demo.show()
