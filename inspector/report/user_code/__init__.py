"""The user's source, as syntax: calls, call sites, the lines at a graph break."""
