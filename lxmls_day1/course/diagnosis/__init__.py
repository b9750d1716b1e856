"""A wrong answer is compared with what each known mistake would have answered."""
