"""Linear classifiers, one file per algorithm.

================================  ====================================================================
``linear_classifier.py``          what all share: test, evaluate, scores, labels, checks of the input
``naive_bayes.py``                naive Bayes by the kind of input: Gaussian or multinomial
``gaussian_naive_bayes.py``       Gaussian class conditionals
``multinomial_naive_bayes.py``    bags of words
``online_classifier.py``          the one loop of all online learners: order, steps, shrinking, averaging
``perceptron.py``                 a rule for that loop
``mira.py``                       a rule for that loop
``svm.py``                        a rule for that loop: stochastic subgradient
``max_ent_online.py``             a rule for that loop: stochastic gradient
``max_ent_batch.py``              maximum entropy to its optimum
``max_ent_model.py``               the probabilities of a maximum-entropy model, however trained
``losses.py``                     the hinge and the log loss
``run_all_classifiers.py``        the comparison of them all
================================  ====================================================================
"""
