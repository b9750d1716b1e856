"""The learners as scikit-learn estimators, and the choice of hyper-parameters on development data."""
