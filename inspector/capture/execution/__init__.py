"""Compiles and calls a target; what to say of a call that failed."""
