"""Every learner of matrices in all its variants, with settings that train quickly; used by the tests of refusals and by the fuzz tests."""

import inspect

import classifiers

CLASSIFIERS = {
    "perceptron": lambda: classifiers.Perceptron(nr_rounds=2),
    "plain perceptron": lambda: classifiers.Perceptron(nr_rounds=1, averaged="rounds"),
    "MIRA": lambda: classifiers.Mira(nr_rounds=2),
    "AROW": lambda: classifiers.AROW(nr_rounds=2),
    "confidence-weighted": lambda: classifiers.ConfidenceWeighted(nr_rounds=2),
    "passive-aggressive": lambda: classifiers.PassiveAggressive(nr_rounds=2),
    "passive-aggressive 2": lambda: classifiers.PassiveAggressive2(nr_rounds=2),
    "squishing": lambda: classifiers.ColumnSquishing(nr_rounds=2),
    "capped squishing": lambda: classifiers.ColumnSquishing(nr_rounds=2, cap=1.0, averaged=False),
    "SVM": lambda: classifiers.SVM(nr_rounds=2),
    "dual": lambda: classifiers.SVM(solver="dual", max_epochs=20),
    "online": lambda: classifiers.MaxEntOnline(nr_rounds=2),
    "batch": lambda: classifiers.MaxEntBatch(tolerance=1e-8, max_iterations=200),
    "lbfgs": lambda: classifiers.MaxEntBatch(solver="lbfgs", max_iterations=20),
    "descent": lambda: classifiers.MaxEntBatch(solver="gradient_descent", max_iterations=20),
    "conjugate": lambda: classifiers.MaxEntBatch(solver="conjugate_gradient", max_iterations=20),
    "scaling": lambda: classifiers.MaxEntBatch(solver="gis", max_iterations=3),
    "binary": lambda: classifiers.BinaryPerceptron(max_rounds=3),
    "Gaussian": classifiers.GaussianNaiveBayes,
    "pooled": lambda: classifiers.GaussianNaiveBayes("pooled"),
    "quadratic": lambda: classifiers.GaussianNaiveBayes("per_class"),
    "multinomial": classifiers.MultinomialNaiveBayes,
    "unsmoothed": lambda: classifiers.MultinomialNaiveBayes(smooth=False),
    "naive Bayes": lambda: classifiers.NaiveBayes("multinomial", smooth_param=0.5),
    "Bernoulli": classifiers.BernoulliNaiveBayes,
    "NBSVM": classifiers.NBSVM,
}
#: Solvers that stop within a tolerance, on a path that rounding changes: the allowed difference relative to the largest weight.
UP_TO_A_TOLERANCE = {"NBSVM": 5e-2, "batch": 5e-2, "lbfgs": 1e-3, "descent": 1e-3, "conjugate": 1e-3, "dual": 5e-2}

# A learner without a row above is tried with its defaults.
_known = {type(make()) for make in CLASSIFIERS.values()} | {classifiers.LinearClassifier, classifiers.OnlineClassifier}
for _name in classifiers.__all__:
    _one = getattr(classifiers, _name)
    if inspect.isclass(_one) and _one not in _known and not issubclass(_one, classifiers.StructuredClassifier):
        CLASSIFIERS[_name] = _one
