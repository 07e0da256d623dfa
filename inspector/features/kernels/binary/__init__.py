"""Compiled kernels read: their resources, their instructions, and how long they should take."""
