"""Whether torch has the backends that are asked for."""

from __future__ import annotations

from collections.abc import Iterable

from torch._dynamo import list_backends, lookup_backend

from inspector.capture.execution.failed_call import lacks_package
from inspector.errors import UsageError
from inspector.shared.near_matches import near_matches

_OURS = "inspector"  # it is registered in the processes that we start, and is no setting
_FOR_TESTS = "_TESTING_ONLY"  # torch's own tests (torch/_dynamo/backends/debugging.py)


def offered_backends(known: Iterable[str]) -> tuple[str, ...]:
    """The backends that are somebody's choice, in their order."""
    return tuple(name for name in known if name != _OURS and not name.endswith(_FOR_TESTS))


def check_backend(name: str) -> None:
    """Raises where torch knows no backend of this name, or its package is not installed."""
    known = list_backends(exclude_tags=())
    if name not in known:
        offered = offered_backends(known)
        raise UsageError(
            f"torch has no backend {name!r}.",
            _meant(near_matches(name, offered)) or f"Choose one of {', '.join(offered)}.",
        )
    try:
        lookup_backend(name)
    except ImportError as error:
        raise lacks_package(name, error) from error


def check_spelling(names: Iterable[str]) -> None:
    """Looks for names that are like those of torch's, and are none.

    What is like none can be a backend that this environment lacks, and others have.

    Raises:
        UsageError: There is such a name.
    """
    known = list_backends(exclude_tags=())
    for name in names:
        if name in known:
            continue
        near = near_matches(name, offered_backends(known))
        if near:
            raise UsageError(f"torch has no backend {name!r}.", _meant(near))


def _meant(near: Iterable[str]) -> str:
    return f"Did you mean {' or '.join(near)}?" if near else ""
