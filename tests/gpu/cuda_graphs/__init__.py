"""Programs that use CUDA graphs in ways of their own, recorded on a GPU."""
