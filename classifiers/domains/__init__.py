"""What is learnt from one domain is to serve another one: ``domain_adaptation.py`` wraps any linear learner for that."""
