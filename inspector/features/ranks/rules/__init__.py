"""Rules about ranks that differ."""
