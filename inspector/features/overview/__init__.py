"""The report of `inspect explain`: everything found in a run."""
