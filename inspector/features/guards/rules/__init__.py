"""Rules on guards."""
