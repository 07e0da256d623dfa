"""The graphs that torch logs, once more as data, with their FLOPs and modules."""
