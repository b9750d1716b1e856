"""Options that several commands have in the same words."""

import click

REVIEWS = ("books", "dvd", "electronics", "kitchen", "toy")
QUESTIONS = ("trec6",)
SENTENCES = {"ewt": "UD_English-EWT", "toy-sentences": "toy"}

lab_option = click.option(
    "--lab", "lab_folder", type=click.Path(), help="The lab folder; the one that you are in unless given."
)
data_dir_option = click.option(
    "--data-dir", type=click.Path(), help="A folder that holds the data, as sentiment/dvd/*.review."
)
classifier_option = click.option(
    "--classifier", required=True, metavar="NAME", help="Its file in classifiers/, such as mira, or its class."
)
domain_option = click.option(
    "--domain",
    type=click.Choice((*REVIEWS, *QUESTIONS, *SENTENCES)),
    show_default="books",
    help="Which reviews, or the questions of TREC, or (for the structured learners) tagged sentences.",
)
