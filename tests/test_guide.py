"""The guide's own code blocks run as printed, in Python 3, with the capital letters that its text extraction has lost.

Only the domain may change: without the real reviews the same blocks run on the toy corpus.
"""

import re

import pytest

from tests.python_runs import run_python
from tests.wording import wording

FLAT_IMPORTS = """
import sys
sys.path.append("readers/")
sys.path.append("classifiers/")
import simple_data_set as sds
import linear_classifier as lcc
import gaussian_naive_bayes as gnbc
import naive_bayes as nb
import sentiment_reader as srs
import multinomial_naive_bayes as mnbb
import perceptron as percc
import mira as mirac
import max_ent_batch as mebc
import max_ent_online as meoc
import svm as svmc
import run_all_classifiers as rac
"""

PACKAGE_IMPORTS = re.sub(
    r"^import (.*_reader|simple_data_set) as", r"import readers.\1 as", FLAT_IMPORTS, flags=re.MULTILINE
)
PACKAGE_IMPORTS = re.sub(r"^import (\w+) as", r"import classifiers.\1 as", PACKAGE_IMPORTS, flags=re.MULTILINE)

BLOCKS = """
# Exercise 1.1
sd = sds.SimpleDataSet(nr_examples=100, g1=[[-1, -1], 1], g2=[[1, 1], 1], balance=0.5, split=[0.5, 0, 0.5])
fig, axis = sd.plot_data()
gnb = gnbc.GaussianNaiveBayes()
params_nb_sd = gnb.train(sd.train_X, sd.train_y)
print("Estimated Means")
print(gnb.means)
print("Estimated Priors")
print(gnb.prior)
y_pred_train = gnb.test(sd.train_X, params_nb_sd)
acc_train = gnb.evaluate(sd.train_y, y_pred_train)
y_pred_test = gnb.test(sd.test_X, params_nb_sd)
acc_test = gnb.evaluate(sd.test_y, y_pred_test)
print("Gaussian Naive Bayes Simple Dataset Accuracy train: %f test: %f" % (acc_train, acc_test))
fig, axis = sd.add_line(fig, axis, params_nb_sd, "Naive Bayes", "red")

# Exercise 1.2
scr = srs.SentimentCorpus(DOMAIN)
mnb = mnbb.MultinomialNaiveBayes()
params_nb_sc = mnb.train(scr.train_X, scr.train_y)
y_pred_train = mnb.test(scr.train_X, params_nb_sc)
acc_train = mnb.evaluate(scr.train_y, y_pred_train)
y_pred_test = mnb.test(scr.test_X, params_nb_sc)
acc_test = mnb.evaluate(scr.test_y, y_pred_test)
print("Multinomial Naive Bayes Amazon Sentiment Accuracy train: %f test: %f" % (acc_train, acc_test))

# Exercise 1.4
perc = percc.Perceptron()
params_perc_sd = perc.train(sd.train_X, sd.train_y)
y_pred_train = perc.test(sd.train_X, params_perc_sd)
acc_train = perc.evaluate(sd.train_y, y_pred_train)
y_pred_test = perc.test(sd.test_X, params_perc_sd)
acc_test = perc.evaluate(sd.test_y, y_pred_test)
print("Perceptron Simple Dataset Accuracy train: %f test: %f" % (acc_train, acc_test))
fig, axis = sd.add_line(fig, axis, params_perc_sd, "Perceptron", "blue")

# Exercise 1.5
mira = mirac.Mira()
mira.regularizer = 1.0  # This is lambda
params_mira_sd = mira.train(sd.train_X, sd.train_y)
y_pred_train = mira.test(sd.train_X, params_mira_sd)
acc_train = mira.evaluate(sd.train_y, y_pred_train)
y_pred_test = mira.test(sd.test_X, params_mira_sd)
acc_test = mira.evaluate(sd.test_y, y_pred_test)
print("Mira Simple Dataset Accuracy train: %f test: %f" % (acc_train, acc_test))
fig, axis = sd.add_line(fig, axis, params_mira_sd, "Mira", "green")
params_mira_sc = mira.train(scr.train_X, scr.train_y)
y_pred_train = mira.test(scr.train_X, params_mira_sc)
acc_train = mira.evaluate(scr.train_y, y_pred_train)
y_pred_test = mira.test(scr.test_X, params_mira_sc)
acc_test = mira.evaluate(scr.test_y, y_pred_test)
print("Mira Amazon Sentiment Accuracy train: %f test: %f" % (acc_train, acc_test))

# Exercise 1.6
me_lbfgs = mebc.MaxEnt_batch()
me_lbfgs.regularizer = 1.0
params_meb_sd = me_lbfgs.train(sd.train_X, sd.train_y)
y_pred_train = me_lbfgs.test(sd.train_X, params_meb_sd)
acc_train = me_lbfgs.evaluate(sd.train_y, y_pred_train)
y_pred_test = me_lbfgs.test(sd.test_X, params_meb_sd)
acc_test = me_lbfgs.evaluate(sd.test_y, y_pred_test)
print("Max-Ent batch Simple Dataset Accuracy train: %f test: %f" % (acc_train, acc_test))
fig, axis = sd.add_line(fig, axis, params_meb_sd, "Max-Ent-Batch", "orange")
params_meb_sc = me_lbfgs.train(scr.train_X, scr.train_y)
y_pred_train = me_lbfgs.test(scr.train_X, params_meb_sc)
acc_train = me_lbfgs.evaluate(scr.train_y, y_pred_train)
y_pred_test = me_lbfgs.test(scr.test_X, params_meb_sc)
acc_test = me_lbfgs.evaluate(scr.test_y, y_pred_test)
print("Max-Ent Batch Amazon Sentiment Accuracy train: %f test: %f" % (acc_train, acc_test))
me_sgd = meoc.MaxEnt_online()
me_sgd.regularizer = 1.0
params_meo_sc = me_sgd.train(scr.train_X, scr.train_y)
y_pred_train = me_sgd.test(scr.train_X, params_meo_sc)
acc_train = me_sgd.evaluate(scr.train_y, y_pred_train)
y_pred_test = me_sgd.test(scr.test_X, params_meo_sc)
acc_test = me_sgd.evaluate(scr.test_y, y_pred_test)
print("Max-Ent Online Amazon Sentiment Accuracy train: %f test: %f" % (acc_train, acc_test))

# Exercise 1.7
svm = svmc.SVM()
svm.regularizer = 1.0  # This is lambda
params_svm_sd = svm.train(sd.train_X, sd.train_y)
y_pred_train = svm.test(sd.train_X, params_svm_sd)
acc_train = svm.evaluate(sd.train_y, y_pred_train)
y_pred_test = svm.test(sd.test_X, params_svm_sd)
acc_test = svm.evaluate(sd.test_y, y_pred_test)
print("SVM Online Simple Dataset Accuracy train: %f test: %f" % (acc_train, acc_test))
fig, axis = sd.add_line(fig, axis, params_svm_sd, "SVM", "orange")
params_svm_sc = svm.train(scr.train_X, scr.train_y)
y_pred_train = svm.test(scr.train_X, params_svm_sc)
acc_train = svm.evaluate(scr.train_y, y_pred_train)
y_pred_test = svm.test(scr.test_X, params_svm_sc)
acc_test = svm.evaluate(scr.test_y, y_pred_test)
print("SVM Online Amazon Sentiment Accuracy train: %f test: %f" % (acc_train, acc_test))

# Exercise 1.8
table, (fig, axis) = rac.run_all_classifiers(sd)
print(table)
print("lines:", sorted(line.get_label() for line in axis.get_lines()))
"""

REPORTS = re.findall(r'print\("(.+) Accuracy train', BLOCKS)


@pytest.mark.one_in(4)
@pytest.mark.slow
@pytest.mark.parametrize("imports", [FLAT_IMPORTS, PACKAGE_IMPORTS], ids=["flat", "package"])
@pytest.mark.parametrize("domain", ["toy", "books"])
def test_the_code_blocks_of_the_guide(imports, domain, request):
    if domain == "books":
        request.getfixturevalue("real_data")
    code = imports + BLOCKS.replace("DOMAIN", repr(domain))  # On standard input, as in an interactive session.
    done = run_python("-W", "error", "-", stdin=code, encoding="utf-8", PYTHONPATH="", PYTHONUTF8="1")
    assert len(REPORTS) == 10
    for report in REPORTS:
        (line,) = [line for line in done.stdout.splitlines() if line.startswith(f"{report} Accuracy")]
        train, test = float(line.split()[-3]), float(line.split()[-1])
        assert 0.7 < train <= 1 and 0.7 < test <= 1, line
    if domain == "books":  # The published values of smoothed naive Bayes, and of maximum entropy on the simple data.
        assert wording("package.multinomial_naive_bayes_amazon") in done.stdout
    assert wording("package.max_ent_batch_simple") in done.stdout
    assert "Bayes optimal" in done.stdout.splitlines()[-1] and "Gaussian naive Bayes" in done.stdout.splitlines()[-1]
