"""What the files of a lab, ``readers/*.py`` and ``classifiers/*.py``, may call of this package.

A workspace is a copy of these files, and may be older than the package that is installed. So what they call keeps its
promises: `NAMES` lists it, and lab files import nothing else of this package. A change that an older lab file would not
survive (a name less, an argument more, another meaning) raises `VERSION`; a new name, or an argument with a default, does not.
"""

#: The version of this interface; a workspace puts down the one that it was made with.
VERSION: int = 1

#: Module of this package -> the names in it that lab files may import.
NAMES: dict[str, tuple[str, ...]] = {
    "batch_kernels": ("LogLoss",),
    "chain_kernels": ("Sentences", "best_paths", "hinge_losses", "take_round"),
    "checks": (
        "all_finite",
        "as_matrix",
        "check_costs",
        "check_finite",
        "check_finite_params",
        "check_inputs",
        "check_labels",
        "check_number",
        "check_params",
        "listed",
        "shown",
    ),
    "corpora": ("cache_folder", "corpus_named", "find_corpus", "names", "sha256_of_files"),
    "dual_kernels": ("measure_all", "take_sweep"),
    "errors": ("CorpusError", "InputError"),
    "gaussians": ("bayes_error", "discriminant_params", "linear_discriminant_params"),
    "kernels": ("Examples", "as_examples", "compact", "compile_rule", "scores_of_row", "take_steps", "update_by_row"),
    "machine_code": ("cached_jit",),
    "model_file": ("SavedModel", "class_finder", "load_model", "save_model"),
    "plotting": ("BLACK", "add_boundary", "plot_accuracies", "plot_points"),
    "result_table": ("ResultTable", "Row"),
    "tokens": ("count_tokens",),
    "whole_files": ("replace_files",),
}
