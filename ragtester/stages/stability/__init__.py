"""How stable the oracle is: the same answers judged again."""
