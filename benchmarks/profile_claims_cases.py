"""The models of profile_claims.py, and what is counted of their kernels."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

TIME = "gpu__time_duration.sum"
SECTORS = "lts__t_sectors.sum"
HIT_RATE = "lts__t_sector_hit_rate.pct"
SM = "sm__throughput.avg.pct_of_peak_sustained_elapsed"
ACTIVE = "sm__cycles_active.avg.pct_of_peak_sustained_elapsed"
DRAM = "dram__bytes.sum"
METRICS = (TIME, SECTORS, HIT_RATE, SM, ACTIVE, DRAM)
# What is said of kernels one by one leaves out those that hardly matter.
LEAST_SHARE = 0.01
WAYS = ("eager", "compiled")
NCU = ("--profile-from-start", "off", "--clock-control", "none", "--cache-control", "none")


@dataclasses.dataclass(frozen=True)
class Case:
    """A model."""

    name: str
    trains: bool = False
    counters: bool = False

    @property
    def file(self) -> str:
        """The target."""
        return f"benchmarks/claims/{self.name}.py"

    @property
    def metrics(self) -> tuple[str, ...]:
        """What is counted; of training what fits into one pass: else it takes too long."""
        return (TIME, SECTORS, HIT_RATE) if self.trains else METRICS

    @property
    def options(self) -> list[str]:
        """Those of `inspect profile`."""
        how = ["--train" if self.trains else "--no-grad"]
        return [*how, "--device", "cuda", *(["--counters"] if self.counters else [])]


LAYER_NORM = Case("layer_norm_gelu", counters=True)
TRANSFORMER = Case("transformer")
RESNET = Case("resnet50_training", trains=True)
CASES = (LAYER_NORM, TRANSFORMER, RESNET)


@dataclasses.dataclass(frozen=True)
class Counted:
    """The kernels of one call."""

    kernels: Sequence[Any]

    @property
    def time_ns(self) -> float:
        """The time of all of them, each alone."""
        return sum(kernel.values.get(TIME, 0.0) for kernel in self.kernels)

    def mean(self, name: str) -> float:
        """Of a percentage, by time."""
        return sum(k.values[name] * k.values[TIME] for k in self.kernels) / self.time_ns

    @property
    def hit_rate(self) -> float:
        """Of the L2 cache, in percent."""
        sectors = sum(kernel.values[SECTORS] for kernel in self.kernels)
        return sum(k.values[HIT_RATE] * k.values[SECTORS] for k in self.kernels) / sectors

    @property
    def dram_bytes(self) -> float:
        """To and from memory."""
        return sum(kernel.values[DRAM] for kernel in self.kernels)

    def share_above(self, percent: float) -> float:
        """The share of the time in kernels whose hit rate is at least that."""
        return (
            sum(k.values[TIME] for k in self.kernels if k.values[HIT_RATE] >= percent)
            / self.time_ns
        )

    @property
    def best(self) -> Any:
        """The kernel with the highest hit rate, of those that matter."""
        matter = [k for k in self.kernels if k.values[TIME] >= LEAST_SHARE * self.time_ns]
        return max(matter, key=lambda kernel: kernel.values[HIT_RATE])
