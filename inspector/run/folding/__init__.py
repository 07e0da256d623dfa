"""Folds envelopes, as they come, into a `Run`."""
