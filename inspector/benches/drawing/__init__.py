"""Pictures of a bench."""
