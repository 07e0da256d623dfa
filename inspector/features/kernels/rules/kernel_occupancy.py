"""Memory-bound kernels with too few warps to keep the memory busy."""

import math
from collections.abc import Iterator

from inspector.report.rule import Advised, Rule
from inspector.report.severity import Severity
from inspector.run.kernel_analysis import InstructionKind, OccupancyLimit
from inspector.run.kernel_facts import Bound, ConfigFacts, KernelFacts

# Below a quarter of the warps even wide loads leave memory waiting (Volkov, "Understanding latency
# hiding on GPUs", 2016).
_LEAST_SHARE = 0.25


class OccupancyRule(Rule[KernelFacts, Advised]):
    """A memory-bound kernel leaves most warp slots of each multiprocessor empty."""

    id = "kernel-low-occupancy"
    severity = Severity.WARNING

    def check(self, kernel: KernelFacts) -> Iterator[Advised]:
        """Low in every configuration, and the grid is large enough to fill the GPU."""
        best = max(
            kernel.configs,
            key=lambda facts: facts.analysis.occupancy.share if facts.analysis.occupancy else 1.0,
        )
        occupancy = best.analysis.occupancy
        if occupancy is None or occupancy.share >= _LEAST_SHARE or not _is_concerned(kernel, best):
            return
        limits = occupancy.limits
        by = " and ".join(limit.value for limit in limits)
        need, resources = "", best.config.resources
        if resources is not None and OccupancyLimit.REGISTERS in limits:
            need = f": {resources.registers} a thread"
        elif resources is not None and OccupancyLimit.SHARED_MEMORY in limits:
            need = f": {resources.shared_bytes:,} bytes a block"
        yield Advised(
            message=f"fills {occupancy.warps} of {occupancy.most_warps} warp slots per "
            "multiprocessor",
            why=f"the number of its blocks per multiprocessor is limited by {by}{need}",
            fix=_FIX_OWN if kernel.is_users else _FIX_INDUCTOR,
        )


_FIX_OWN = "Use smaller blocks, or limit the registers of a thread (maxnreg)."
_FIX_INDUCTOR = (
    "torch._inductor.config.coordinate_descent_tuning = True tries other block sizes on the GPU."
)


def _is_concerned(kernel: KernelFacts, facts: ConfigFacts) -> bool:
    has_products = facts.analysis.count(InstructionKind.TENSOR) > 0
    is_bound = facts.prediction is None or facts.prediction.bound is Bound.MEMORY
    programs = math.prod(facts.config.grid) if facts.config.grid else None
    fills = programs is None or kernel.gpu is None or programs >= kernel.gpu.multiprocessors
    return is_bound and fills and not has_products


RULE = OccupancyRule()
