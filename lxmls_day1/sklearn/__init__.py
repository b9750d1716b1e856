"""The learners as estimators of scikit-learn, and hyper-parameters chosen on development data."""
