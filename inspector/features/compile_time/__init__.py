"""Where compile time goes, and what the caches had of it."""
