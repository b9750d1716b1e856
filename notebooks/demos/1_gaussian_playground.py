# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Gaussian playground
#
# Move two or three Gaussian classes, change their variance, balance and number, and compare every classifier's boundary with
# the Bayes-optimal boundary. A click into the plane adds, moves or removes a point.

# %%
from lxmls_day1.demos.gaussian_playground import DemoGaussianPlayground
from lxmls_day1.lab import Lab

demo = DemoGaussianPlayground(Lab.open())
demo.show()
