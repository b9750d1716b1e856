# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Review explorer
#
# Type or paste a review, and see the prediction of every classifier and the words that determine it. The demonstration also shows the
# most informative words of a domain, and the effect of smoothing on a word that never occurred in a class.

# %%
from lxmls_day1.demos.review_explorer import DemoReviews
from lxmls_day1.lab import Lab

demo = DemoReviews(Lab.open())
demo.show()
