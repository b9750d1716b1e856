"""Demonstrations for the projector, the book and notebooks: Python computes scenes, a page draws them.

| module | what is shown |
|---|---|
| ``gaussian_playground`` | classes, their boundaries and the Bayes error; computed by ``gaussian_points`` |
| ``online_steps`` | perceptron, MIRA, SVM and maximum entropy, one example at a time; computed by ``online_traces`` |
| ``mira_step`` | a single step of MIRA, and column squishing beside it |
| ``optimisation`` | how fast objectives fall; computed by ``objective_curves`` |
| ``review_explorer`` | which words of a review decide; see ``reviews``, ``review_decisions`` and ``review_text`` |
| ``comparison_sweep`` | accuracy over size, variance and balance; computed by ``accuracy_sweep`` |
| ``confidence`` | the Gaussian that AROW keeps over two weights: an ellipse that shrinks |
| ``beyond_a_line`` | what a line cannot do: a kernel perceptron and nearest neighbours |

``demonstration``  is their base class and says how one is written; ``controls`` are what a reader can change,
``scene``          is what the page draws, as plain data; ``page/demo.js`` draws it, with ``page/demo.css``.
``pages``          are HTML files of these, with scenes inside (``lxmls-day1 demo --export``, the book), ``server`` asks
                   Python for every scene (``lxmls-day1 demo``), ``notebook`` does so in a cell (``lab.demo``).
``lab_learners``   are the lab's classifiers, written or not.
"""
