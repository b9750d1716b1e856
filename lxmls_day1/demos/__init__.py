"""Demonstrations for the projector: things to drag, to click and to step through, in the browser.

| module | what is shown |
|---|---|
| ``gaussian_playground`` | classes, their boundaries and the Bayes error, under sliders and clicks; computed by ``gaussian_points`` |
| ``online_steps`` | perceptron, MIRA, SVM and maximum entropy, one example at a time; computed by ``online_traces`` |
| ``mira_step`` | a single step of MIRA, and column squishing beside it |
| ``optimisation`` | objectives on their way down; computed by ``objective_curves`` |
| ``review_explorer`` | what a classifier makes of a review; see ``reviews``, ``review_decisions`` and ``review_text`` |
| ``comparison_sweep`` | accuracy over size, variance and balance; computed by ``accuracy_sweep`` |
| ``confidence`` | the Gaussian that AROW keeps over two weights: an ellipse that shrinks |
| ``beyond_a_line`` | what a line cannot do: a kernel perceptron and nearest neighbours |

``demonstration``  is their base class and says how one is written; ``stage`` is the page of one, ``theme`` its colours,
with ``stage.css``, ``environment`` what the surroundings ask for. ``recording`` makes pictures and animations,
``export``         a folder of them all, ``serving`` puts them into the browser (``lxmls-day1 demo``) with Voilà,
``warm_kernels``   and the page template in ``jupyter/``; ``index_page`` lists them, with the pictures that
``thumbnails``     makes; ``learners`` are the lab's classifiers, written or not, ``background`` computes beside a live
page. Each demonstration has a notebook of two cells in ``notebooks/demos/``, which ``notebook_pairs`` makes from a
script.
"""
