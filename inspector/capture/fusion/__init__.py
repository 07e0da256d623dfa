"""Observes Inductor's scheduler: what became one kernel, and what did not, and why."""
