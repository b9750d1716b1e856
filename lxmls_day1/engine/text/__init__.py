"""Text: where corpora come from, and how files and texts become token counts. A leaf.

=========================  ===========================================================================================
``corpora``                the table of corpora; finds their files in a folder, in the cache, or by a download
``downloads``              downloads files and archives, and checks them against their checksums
``tokens``                 text to unigrams and bigrams, as the review corpus counts them
``token_matrix``           the same for many texts at once, as a sparse matrix
``token_batches``          … batch by batch, hashed or numbered, in bounded memory
``packed_texts``           many short texts in little memory
``review_files``           the reviews of a domain, from its files or from the cache
``parsed_reviews``         reviews in their published form, read into token counts
``documents``              files of documents as token counts
``labelled_files``         files of labelled examples in any of the usual formats, in memory or piece by piece
``text_blocks``            a file as blocks of text, piece by piece: counted, hashed, unpacked, decoded
``tables``                 of these, columns and JSON lines as records, and of these labels and texts
``layout_guesses``         … delimiter, header and columns, where nobody says what they are
``svmlight``               of these, ready-made features
``tagged_files``           files of sentences, with tags or without
``feature_vectors``        feature vectors that are dictionaries, as a sparse matrix with names
``feature_contributions``  what each word adds to a decision
``toy_stream``             makes up documents, as many as one likes
=========================  ===========================================================================================
"""

from lxmls_day1.base.lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__file__)
