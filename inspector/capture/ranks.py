"""What the processes of a distributed job decide together.

A model that communicates must be called equally often in all of them: whoever makes one call more
waits in it for the others, and they are gone. How often is decided by times, which differ from one
process to the next, so that the first process decides for all.
"""

from __future__ import annotations

import itertools
import json
from typing import TypeVar

from inspector.capture import versions

__all__ = ["agreed"]

_Value = TypeVar("_Value", bool, int, list[int])
_PREFIX = "torch-inspector"
_numbers = itertools.count()


def agreed(value: _Value) -> _Value:
    """What the first process of the job says here; outside of a job, what is given.

    All processes must ask in the same order. They wait for the first one as long as the store of
    their process group waits.

    Args:
        value: What this process would say.
    """
    store, rank = versions.rank_and_store()
    if store is None:
        return value
    key = f"{_PREFIX}/{next(_numbers)}"
    if rank == 0:
        store.set(key, json.dumps(value))
        return value
    found: _Value = json.loads(store.get(key))
    return found
