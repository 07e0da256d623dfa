"""What guards mean: what they assume, what they cost, and which change recompiles next."""
