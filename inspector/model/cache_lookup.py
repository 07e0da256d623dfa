"""What was looked for in the compiler's caches, and what came of it."""

from __future__ import annotations

import dataclasses
import enum

CACHES = ("AOTAutograd", "FX graph", "Triton", "C++", "autotune", "PGO")
"""The caches, from the outermost to the innermost; what hits in one spares those behind it."""


class CacheState(enum.Enum):
    """What came of a look-up."""

    HIT = "hit"
    MISS = "miss"
    BYPASS = "bypass"


@dataclasses.dataclass(frozen=True, slots=True)
class CacheLookup:
    """One look-up in a cache.

    Attributes:
        occurrence: As `inspector.model.compile_time.CompilationTime` has it.
        what: What was looked for where that is no graph: a kernel's name, or an empty string.
        detail: Torch's finer word (``full_miss``, ``guard_miss``), or an empty string.
        components: What the key is made of, as torch prints it; empty where it does not.
        time_saved_ns: How long what was found had taken to compile, or None.
        time_taken_ns: How long what was not found took to compile, or None.
    """

    cache: str
    state: CacheState
    compile_id: str
    occurrence: int
    is_backward: bool
    what: str = ""
    detail: str = ""
    key: str = ""
    components: tuple[str, ...] = dataclasses.field(default=(), repr=False)
    reason: str = ""
    exception: str = ""
    time_saved_ns: int | None = None
    time_taken_ns: int | None = None
