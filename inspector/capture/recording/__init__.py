"""Begins and ends the recording of a process, in any program."""
