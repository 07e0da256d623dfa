"""What happened: the typed model of a recorded program."""
