"""The loops that learners share: checked training data, online steps, batch objectives, chains of tags."""
