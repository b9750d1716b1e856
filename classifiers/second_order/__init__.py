"""Rules that see how sure each weight is: unsure ones move most.

``arow.py`` regularizes by the variances; ``confidence_weighted.py`` is right with a given probability. The loop is that of
``online_classifier.py``, whose ``second_order`` marks such a rule.
"""
