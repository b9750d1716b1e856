"""Text and corpora.

* ``parsed_reviews`` -- reviews in their published form, read into token counts
"""
