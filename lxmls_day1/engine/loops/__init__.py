"""The loops that learners share: data that are checked, online steps, batch objectives, chains of tags."""
