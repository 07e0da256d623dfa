"""Benchmarks one kernel alone, with the arguments that it had in a call."""
