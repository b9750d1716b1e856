from lxmls_day1.engine.corpus.checkpoint import Checkpoint as Checkpoint
from lxmls_day1.engine.corpus.corpus_builder import make_corpus as make_corpus
from lxmls_day1.engine.corpus.shard_writing import write_shards as write_shards
from lxmls_day1.engine.corpus.shards import Shards as Shards
from lxmls_day1.engine.corpus_training import evaluate_corpus as evaluate_corpus
from lxmls_day1.engine.corpus_training import label_corpus as label_corpus
from lxmls_day1.engine.corpus_training import resume as resume
from lxmls_day1.engine.corpus_training import train_corpus as train_corpus
