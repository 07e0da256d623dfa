"""Reads the kernels out of the code that Inductor generated."""
