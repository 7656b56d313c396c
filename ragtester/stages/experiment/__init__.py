"""Experiments: a frozen baseline and variants that each change one setting of the retrieval path."""
