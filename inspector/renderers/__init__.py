"""Report → a format that somebody reads; one format per file, each with ``render``."""
