"""Observes CUDA graphs: captures, skips, copies of inputs, replays."""
