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
# Two or three Gaussian classes: move them about, make them wider, rarer or fewer, and see every classifier's boundary beside
# the best that is possible. A click into the plane adds a point, moves one or takes one away.

# %%
from lxmls_day1.demos.gaussian_playground import DemoGaussianPlayground
from lxmls_day1.lab import Lab

demo = DemoGaussianPlayground(Lab.open())
demo.show()
