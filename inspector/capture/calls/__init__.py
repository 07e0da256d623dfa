"""Calls of a target: made, undone, compared, the same on every rank."""
