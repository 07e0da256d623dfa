"""Loads what the user wants compiled, and the inputs to call it with."""
