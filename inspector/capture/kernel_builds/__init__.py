"""Compiles generated Triton kernels for a GPU, which need not be there."""
