"""Backends of `torch.compile` by name."""

from __future__ import annotations

from collections.abc import Iterable

_OURS = "inspector"  # it is registered in the processes that we start, and is no setting
_FOR_TESTS = "_TESTING_ONLY"  # torch's own tests (torch/_dynamo/backends/debugging.py)


def offered_backends(known: Iterable[str]) -> tuple[str, ...]:
    """The backends that are somebody's choice, in their order."""
    return tuple(name for name in known if name != _OURS and not name.endswith(_FOR_TESTS))
