"""Timelines of warm calls, out of a profile: what torch marked, and what lies between."""
