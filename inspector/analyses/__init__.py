"""What it means: one rule per file, each from a `Run` to `Finding`s."""
