"""How maximum entropy and the SVM reach their optimum: what ``MaxEntBatch(solver=…)`` and ``SVM(solver="dual")`` call.

==========================  ===============================================================
``lbfgs.py``                L-BFGS, the default on dense data; its line search serves the next one too
``conjugate_gradient.py``   non-linear conjugate gradient
``gradient_descent.py``     gradient descent with Armijo backtracking
``iterative_scaling.py``    generalized iterative scaling, with its moment matching
``max_ent_dual.py``         dual coordinate ascent for maximum entropy, the default on sparse data
``svm_dual.py``             the same for the SVM
``owl_qn.py``               L-BFGS for sparse weights (the L1 penalty)
``newton_l1.py``            Newton's method by coordinates for the same, with two classes and sparse data
==========================  ===============================================================
"""
