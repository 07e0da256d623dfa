"""How many cores there are to use."""

import os


def usable_cores() -> int:
    """How many cores this process may use."""
    is_linux = hasattr(os, "sched_getaffinity")
    return len(os.sched_getaffinity(0)) if is_linux else os.cpu_count() or 1
