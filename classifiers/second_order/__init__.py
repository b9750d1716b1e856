"""Rules that see how sure each weight is: unsure ones move most.

The loop is that of ``online_classifier.py``, whose ``second_order`` marks such a rule.
"""
