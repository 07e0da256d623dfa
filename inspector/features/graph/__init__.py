"""What torch made of a graph on the way to kernels, and why."""
