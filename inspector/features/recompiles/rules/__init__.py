"""Rules on recompiles."""
