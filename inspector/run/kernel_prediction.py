"""How long a kernel should take, and what that follows from."""

import dataclasses
import enum


class Bound(enum.Enum):
    """What a kernel's time is predicted to be spent on."""

    MEMORY = "memory bound"
    COMPUTE = "compute bound"
    SMALL = "too small to matter"
    BLOCKS = "too few blocks for the GPU"
    UNKNOWN = "unknown"


@dataclasses.dataclass(frozen=True, slots=True)
class Prediction:
    """Predicted time of a kernel; never a measurement.

    Attributes:
        time_ns: Predicted time; a lower bound if ``missing`` is set, None if unknown.
        spread_ns: Its time if all multiprocessors had a block, or None if unknown.
    """

    time_ns: int | None
    bound: Bound
    memory_ns: int | None = None
    compute_ns: int | None = None
    unit: str = ""
    launch_ns: int = 0
    blocks: int | None = None
    spread_ns: int | None = None
    missing: str = ""

    @property
    def is_least(self) -> bool:
        """Whether ``time_ns`` is only a lower bound."""
        return bool(self.missing) or self.bound is Bound.UNKNOWN
