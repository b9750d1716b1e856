"""What the files of a lab, ``readers/*.py`` and ``classifiers/*.py``, may call of this package.

A workspace is a copy of these files, and may be older than the package that is installed. So what they call keeps its
promises: `NAMES` lists it, and lab files import nothing else of this package. A change that an older lab file would not
survive (a name less, an argument more, another meaning) raises `VERSION`; a new name, or an argument with a default, does not.
"""

#: The version of this interface; a workspace puts down the one that it was made with.
VERSION: int = 5

#: Module of this package -> the names in it that lab files may import.
NAMES: dict[str, tuple[str, ...]] = {
    "checks": (
        "all_finite",
        "as_canonical",
        "as_list",
        "as_matrix",
        "as_numbers",
        "check_average",
        "check_choice",
        "check_costs",
        "check_finite",
        "check_finite_params",
        "check_flag",
        "check_inputs",
        "check_labels",
        "check_not_negative",
        "check_number",
        "check_offers",
        "check_params",
        "check_sample_weight",
        "check_same_kind",
        "listed",
        "random_numbers",
        "shown",
    ),
    "engine.word_counting": (
        "check_not_negative",
        "check_words",
        "count_words",
        "forbidden",
        "warn_of_ruled_out",
    ),
    "engine.compiled.batch": ("LogLoss", "batch_examples"),
    "engine.compiled.chain_search": ("k_best",),
    "engine.compiled.chain_sums": ("log_losses", "loss_and_gradient", "tag_marginals", "take_round_of_descent"),
    "engine.compiled.chains": ("Sentences", "best_paths", "hinge_losses", "take_round"),
    "engine.compiled.class_sums": ("class_sums",),
    "engine.compiled.svm_sweeps": ("measure_all", "take_sweep"),
    "engine.compiled.max_ent_sweeps": ("measure_all", "take_sweep"),
    "engine.compiled.online_steps": ("RowSteps", "Weights", "check_rule", "machine_code_of"),
    "engine.compiled.primitives": ("kernel",),
    "engine.compiled.sparse_rows": ("Examples", "as_examples"),
    "errors": ("CorpusError", "InputError", "check_path"),
    "figures.plotting": ("BLACK", "add_boundary", "plot_accuracies", "plot_points"),
    "gaussians": ("bayes_error", "discriminant_params", "linear_discriminant_params"),
    "model_file": ("SavedModel", "load_classifier", "save_model"),
    "result_table": ("ResultTable", "Row"),
    "settings": ("check_settings", "settings"),
    "engine.streaming.shards": ("Shards",),
    "engine.examples": (
        "columns_of",
        "labelled_rows",
        "linear_scores",
        "rows_of",
        "share_of_right",
        "trained_with",
        "training_data",
        "update_arguments",
    ),
    "engine.learners": ("Round", "average_of", "compiled", "orders_of", "second_order", "shrinkage_of"),
    "engine.objectives": ("MatrixRows", "objective_at", "shortened"),
    "engine.online_training": ("copy_of_state", "new_state", "take_rounds", "train_online"),
    "engine.text.corpora": ("corpus_named", "find_corpus", "names"),
    "engine.text.labelled_files": ("LabelledFile", "name_of_data", "read_labelled"),
    "engine.text.packed_texts": ("PackedTexts",),
    "engine.text.review_files": ("LABEL_NAMES", "ParsedReviews", "read_reviews", "read_unlabelled"),
    "engine.text.svmlight": ("is_number",),
    "engine.text.token_matrix": ("count_texts",),
    "engine.text.tokens": ("count_tokens",),
}
