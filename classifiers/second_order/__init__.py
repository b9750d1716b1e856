"""Rules with a variance for each weight: the larger the variance of a weight, the more it moves.

The loop is in ``online_classifier.py``; its decorator ``second_order`` marks such a rule.
"""
