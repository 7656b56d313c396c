"""How often the oracle is right: a sample, a panel of judges, a review by a person, and the figures."""
