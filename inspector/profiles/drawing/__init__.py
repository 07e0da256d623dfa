"""Pictures of profiles."""
