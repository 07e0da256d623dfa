"""Everything that is known of one compiled kernel, for those who look for what is wrong with it."""

import dataclasses

from inspector.run.kernel_analysis import ConfigAnalysis
from inspector.run.kernel_prediction import Prediction
from inspector.shared.gpus import Gpu
from inspector.shared.kernel_build import ConfigBuild, KernelBuild


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
