"""The log that a process writes, below a size, also when it ends badly."""
