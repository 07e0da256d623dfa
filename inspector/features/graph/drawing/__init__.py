"""Pictures of graphs: DOT for the program `dot`, which places and draws the boxes."""
