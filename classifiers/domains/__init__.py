"""Domain adaptation: ``domain_adaptation.py`` trains any linear learner on one domain for use on another."""
