"""Demonstrations for the projector, the book and notebooks: Python computes scenes, and a page draws them.

``demonstration``  the base class, with instructions for a new demonstration; ``demonstration_list`` lists them all;
                   ``controls`` are the settings that a reader can change
``scene``          the data that the page draws; ``page/demo.js`` draws it, with ``page/demo.css``
``pages``          HTML files with scenes inside (``lxmls-day1 demo --export``, the book); ``server`` computes every scene on
                   request (``lxmls-day1 demo``); ``notebook`` does so in a cell (``lab.demo``)
``lab_learners``   the lab's classifiers, which may be unwritten or faulty
"""
