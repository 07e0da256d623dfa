"""What a graph break costs: from timelines of warm calls to one figure per site."""
