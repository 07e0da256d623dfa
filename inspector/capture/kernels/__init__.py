"""Observes how Inductor makes kernels, in C++ and in Triton."""
