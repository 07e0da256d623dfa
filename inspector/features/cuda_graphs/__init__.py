"""CUDA graphs: what was captured, skipped and copied."""
