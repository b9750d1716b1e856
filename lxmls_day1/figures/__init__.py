"""Figures: computed in one place, drawn in another. A leaf.

=======================  =======================================================================
``boundaries``           decision boundaries, computed
``plotting``             points, boundaries and accuracies, drawn; colours of classes
``style``                one colour and dash for each classifier; labels at the ends of lines
``regions``              regions of linear classifiers in the plane: half-planes and their intersections
``joint_feature_table``  f(x, y), one block per class, drawn
``squishing``            column squishing as a projection, drawn
``margins``              the street of a support vector machine, computed and drawn
``descents``             ways down an objective of two weights, drawn
``comparison``           curves and pairs of accuracies with their standard errors, drawn
``overlap``              the Bayes error as an area, with the posterior
``updates``              steps of online learners, and the proof of the mistake bound, drawn
``contributions``        what each feature of one example votes for, drawn
``weight_paths``         accuracy and sparsity over λ, drawn
``reliability``          how far probabilities can be trusted: bins, calibration error, diagram
``tuning_curve``         accuracy over a hyper-parameter, drawn
``counter_examples``     the smallest input with a wrong answer, drawn
``lattice``              the search over tag sequences, drawn
``moments``              the moments of iterative scaling, drawn
``figure_data``          what a figure shows in words, for who does not see it and to compare a notebook's figures
``number_tolerance``     texts that are the same but for the last digits of their numbers
=======================  =======================================================================
"""

from lxmls_day1.base.lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__file__)
