"""How often this process touched a page of memory that it did not have yet."""

from __future__ import annotations

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

__all__ = ["page_faults"]


def page_faults() -> int:
    """Faults until now, of all threads, that nothing had to be read from a disk for; or 0."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt if resource is not None else 0
