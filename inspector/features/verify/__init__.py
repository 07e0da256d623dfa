"""Settings and edits that were tried, each in a fresh process."""
