"""Cache entries with their guards, evaluated in a state."""
