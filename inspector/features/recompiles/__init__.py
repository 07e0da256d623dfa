"""Recompilations: the cause, the cases of one function, the fix."""
