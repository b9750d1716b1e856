"""Demonstrations for the projector, the book and notebooks: Python computes scenes, a page draws them.

``demonstration``  is their base class, says how one is written, and lists them; ``controls`` are what a reader can change,
``scene``          is what the page draws, as plain data; ``page/demo.js`` draws it, with ``page/demo.css``.
``pages``          are HTML files of these, with scenes inside (``lxmls-day1 demo --export``, the book), ``server`` asks
                   Python for every scene (``lxmls-day1 demo``), ``notebook`` does so in a cell (``lab.demo``).
``lab_learners``   are the lab's classifiers, written or not.
"""
