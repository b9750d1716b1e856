"""What the files of a lab, ``readers/*.py`` and ``classifiers/*.py``, may call of this package: at most twenty names.

A workspace is a copy of these files, and may be older than the package that is installed. So what they call keeps its
promises: `NAMES` lists it, and lab files import nothing else of this package. A change that an older lab file would not
survive (a name less, an argument more, another meaning) raises `VERSION`; a new name, or an argument with a default, does not.
"""

#: The version of this interface; a workspace puts down the one that it was made with.
VERSION: int = 7

#: Module of this package -> the names in it that lab files may import.
NAMES: dict[str, tuple[str, ...]] = {
    "checks": ("as_numbers", "check_number"),
    "comparison": ("compare",),
    "engine.chains": ("Chains",),
    "engine.compiled.chain_search": ("k_best",),
    "engine.examples": ("CheckedData",),
    "engine.online_training": ("train_online",),
    "engine.rows": ("Rows",),
    "engine.streaming.shards": ("Shards",),
    "engine.text.corpora": ("find_corpus",),
    "engine.text.labelled_files": ("read_labelled",),
    "engine.text.packed_texts": ("PackedTexts",),
    "engine.text.review_files": ("read_reviews",),
    "engine.text.token_matrix": ("count_texts",),
    "errors": ("InputError",),
    "figures.plotting": ("add_boundary", "plot_points"),
    "gaussians": ("bayes_error", "discriminant_params"),
    "settings": ("setting",),
}
