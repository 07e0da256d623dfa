"""Rules on compile time."""
