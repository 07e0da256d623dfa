"""What torch leaves uncompiled without an event: skipped frames, late hooks, what was raised."""
