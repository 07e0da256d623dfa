"""Observes guards: what they cost, and what a failed one looked at."""
