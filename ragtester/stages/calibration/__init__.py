"""How well the oracle agrees with human labels."""
