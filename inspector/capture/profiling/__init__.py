"""Profiles a compiled target on the machine at hand: what ran, when, and what launched it."""
