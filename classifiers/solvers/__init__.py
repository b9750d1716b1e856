"""The optimisers of maximum entropy and the SVM, called by ``MaxEntBatch(solver=…)`` and ``SVM(solver="dual")``.

==========================  ===============================================================
``lbfgs.py``                L-BFGS, the default on dense data; its line search is also used by the next one
``conjugate_gradient.py``   non-linear conjugate gradient
``gradient_descent.py``     gradient descent with Armijo backtracking
``iterative_scaling.py``    generalized iterative scaling, with its moment matching
``max_ent_dual.py``         dual coordinate ascent for maximum entropy, the default on sparse data
``svm_dual.py``             dual coordinate ascent for the SVM
``owl_qn.py``               L-BFGS for sparse weights (the L1 penalty)
``newton_l1.py``            coordinate-wise Newton for sparse weights, with two classes and sparse data
==========================  ===============================================================
"""
