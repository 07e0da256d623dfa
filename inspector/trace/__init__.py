"""Torch's structured trace: the log, its envelopes, and torch's own events."""
