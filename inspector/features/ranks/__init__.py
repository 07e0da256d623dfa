"""Ranks of one job next to each other: what they compiled, where they differ, who waits."""
