"""Artifacts of the compiler's caches: what was looked for, what came of it, and what its key is."""

import dataclasses
import enum
from collections.abc import Mapping
from typing import Self

from inspector.trace.envelope import Envelope
from inspector.trace.fields import nanoseconds, natural, text, texts

CACHE_ARTIFACTS = {
    f"{prefix}_cache_{state}": (cache, state)
    for prefix, cache in (("fx_graph", "FX graph"), ("aotautograd", "AOTAutograd"))
    for state in ("hit", "miss", "bypass")
} | {"aotautograd_cache_hash": ("AOTAutograd", "")}
"""Cache and what came of the look-up, by the artifact that says so; torch 2.6's says it inside."""

CODE_STATES = {
    f"{verb}_{kind}_code_state": (state, "on this machine" if kind == "local" else "remote")
    for verb, state in (("get", "hit"), ("put", "stored"))
    for kind in ("local", "remote", "extra_remote")
}
"""What happened to the profile of dynamic shapes, and where, by artifact (torch/_dynamo/pgo.py)."""

_MS_NS = 1_000_000
_US_NS = 1_000
_BACKWARD = "fx_kwargs[is_backward]: "
# A graph's text can have megabytes; its hash tells two of them apart all the same.
_LONGEST_COMPONENT = 1 << 16


CACHES = ("AOTAutograd", "FX graph", "Triton", "C++", "autotune", "PGO")
"""The caches, from the outermost to the innermost; what hits in one spares those behind it."""


class CacheState(enum.Enum):
    """What came of a look-up."""

    HIT = "hit"
    MISS = "miss"
    BYPASS = "bypass"


@dataclasses.dataclass(frozen=True, slots=True)
class CacheLookup:
    """One look-up in a cache; read from ``fx_graph_cache_*`` and ``aotautograd_cache_*``.

    Attributes:
        cache: Name of the cache: ``AOTAutograd``, ``FX graph``, ``Triton``, ``C++``, ``autotune``
            or ``PGO``.
        compile_id: Compile id of the compilation, if known.
        occurrence: Number of earlier uses of the compile id before ``torch._dynamo.reset()``.
        what: Name of the kernel that was looked up, if the lookup was not for a graph.
        detail: Torch's detailed status (``full_miss``, ``guard_miss``), if any.
        components: What the key is made of, as torch prints it: ``[hash] name: value``. Empty where
            torch does not log it (AOTAutograd's on 2.13).
        time_saved_ns: Compile time saved by cache hits, or None.
        time_taken_ns: Compile time spent on cache misses, or None.
    """

    cache: str
    state: CacheState
    compile_id: str = ""
    occurrence: int = 0
    is_backward: bool = False
    what: str = ""
    detail: str = ""
    key: str = ""
    components: tuple[str, ...] = dataclasses.field(default=(), repr=False)
    reason: str = ""
    exception: str = ""
    time_saved_ns: int | None = None
    time_taken_ns: int | None = None

    @property
    def names_backward(self) -> bool | None:
        """Whether its key is that of a backward graph; None where the key does not say."""
        for line in self.components:
            _, found, value = line[:200].partition(_BACKWARD)
            if found:
                return value == "True"
        return None

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the JSON payload; without one, what the artifact's name says is left."""
        cache, state = CACHE_ARTIFACTS[envelope.name]
        fields = _fields(envelope)
        saved = fields.get("time_saved_ns")
        return cls(
            cache=cache,
            state=CacheState(state or text(fields, "cache_state") or "miss"),
            detail=text(fields, "cache_status_detailed"),
            key=text(fields, "key"),
            components=tuple(part[:_LONGEST_COMPONENT] for part in texts(fields, "components")),
            reason=text(fields, "cache_bypass_reason"),
            exception=text(fields, "cache_bypass_exception_type"),
            time_saved_ns=nanoseconds(fields.get("time_saved_ms"), _MS_NS)
            if saved is None
            else natural(saved),
            time_taken_ns=natural(fields.get("time_taken_ns")),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class CodeState:
    """``*_code_state``: the profile of dynamic shapes was read or written."""

    state: str
    where: str

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads what the artifact's name says; the profile itself stays in the log."""
        return cls(*CODE_STATES[envelope.name])


@dataclasses.dataclass(frozen=True, slots=True)
class TritonKernels:
    """``triton_kernel_info``: the Triton kernels that a graph waited for.

    Attributes:
        kernels: By name, how long it took to compile in ns (None where torch does not say) and what
            the autotune cache had for it (``hit``, ``miss``, ``only 1 config``, ``force_disabled``,
            or an empty string).
    """

    kernels: Mapping[str, tuple[int | None, str]]

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the JSON payload (torch/_inductor/async_compile.py, 2.13)."""
        kernels = {
            str(name): (
                nanoseconds(info.get("compile_time_us"), _US_NS),
                text(info, "autotune_cache_state"),
            )
            for name, info in _fields(envelope).items()
            if isinstance(info, dict)
        }
        return cls(kernels)


def _fields(envelope: Envelope) -> Mapping[str, object]:
    try:
        payload = envelope.payload.json() if envelope.payload else None
    except (ValueError, RecursionError):
        return {}  # that the cache was asked is known by the record alone
    return payload if isinstance(payload, dict) else {}
