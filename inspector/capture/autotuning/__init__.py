"""What autotuning tried: templates, configurations of Triton kernels, and the program's own."""
