"""Everything that is known of one compiled kernel, for those who look for what is wrong with it."""

import dataclasses
import enum

from inspector.run.kernel_analysis import ConfigAnalysis
from inspector.shared.gpus import Gpu
from inspector.shared.kernel_build import ConfigBuild, KernelBuild


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


@dataclasses.dataclass(frozen=True, slots=True)
class ConfigFacts:
    """One kernel configuration with its analysis and prediction."""

    config: ConfigBuild
    analysis: ConfigAnalysis
    prediction: Prediction | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class KernelFacts:
    """Compiled configurations of one kernel.

    Attributes:
        configs: Those that fit on the GPU, which chooses one: what holds for all holds.
    """

    build: KernelBuild
    configs: tuple[ConfigFacts, ...]
    gpu: Gpu | None = None
    launches: int = 1
    is_users: bool = False
    aten: tuple[str, ...] = ()

    @property
    def time_ns(self) -> int | None:
        """The shortest predicted time of a launch, or None."""
        times = [
            facts.prediction.time_ns
            for facts in self.configs
            if facts.prediction is not None and facts.prediction.time_ns is not None
        ]
        return min(times, default=None)

    @property
    def is_least(self) -> bool:
        """Whether that time is a lower bound."""
        return any(
            facts.prediction.is_least
            for facts in self.configs
            if facts.prediction is not None and facts.prediction.time_ns == self.time_ns
        )
