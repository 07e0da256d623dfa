"""What a profile means: which kernel takes how long, against what the machine can do."""
