"""What each pass over a graph changes."""
