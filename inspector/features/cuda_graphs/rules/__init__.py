"""Rules on cuda graphs."""
