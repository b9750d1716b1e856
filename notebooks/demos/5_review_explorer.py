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
# Type or paste a review: what does every classifier say, and which words made it say so? Also the most telling words of a
# domain, and what smoothing does to a word that a class has never shown.

# %%
from lxmls_day1.demos.review_explorer import DemoReviews
from lxmls_day1.lab import Lab

demo = DemoReviews(Lab.open())
demo.show()
