"""Rules on breaks."""
