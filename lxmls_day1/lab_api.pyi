from lxmls_day1 import figures as figures
from lxmls_day1.base.checks import as_numbers as as_numbers
from lxmls_day1.base.checks import check_number as check_number
from lxmls_day1.base.errors import InputError as InputError
from lxmls_day1.base.errors import NoAnswer as NoAnswer
from lxmls_day1.base.learner_list import offered_names as offered_names
from lxmls_day1.base.settings import setting as setting
from lxmls_day1.course.diagnosis.answer_shapes import described as described
from lxmls_day1.course.diagnosis.answer_shapes import results as results
from lxmls_day1.engine import corpus, text
from lxmls_day1.engine.kernels.chain_search import k_best as k_best
from lxmls_day1.engine.loops.chains import Chains as Chains
from lxmls_day1.engine.loops.checked_data import CheckedData as CheckedData
from lxmls_day1.engine.loops.online_training import train_online as train_online
from lxmls_day1.engine.loops.rows import Rows as Rows
from lxmls_day1.engine.models import gaussians as gaussians
from lxmls_day1.figures.classifier_comparison import compare as compare
from lxmls_day1.notebook_lab import open_lab as open_lab
from lxmls_day1.sklearn import tuning as tuning

corpora = corpus
text_data = text

VERSION: int
