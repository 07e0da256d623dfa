"""Artifacts of Inductor's and AOTAutograd's caches: what was found there did not run."""

from __future__ import annotations

import dataclasses
from typing import Self

from inspector.events.envelope import Envelope

__all__ = ["CACHE_HITS", "CacheHit"]

CACHE_HITS = {"aotautograd_cache_hit": "AOTAutograd", "fx_graph_cache_hit": "FX graph"}
"""The cache by the artifact that says that something was found in it."""


@dataclasses.dataclass(frozen=True, slots=True)
class CacheHit:
    """A graph was found in a cache.

    Attributes:
        cache: ``FX graph`` or ``AOTAutograd``.
    """

    cache: str

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads which cache it is; the key and the times stay in the log."""
        return cls(CACHE_HITS[envelope.name])
