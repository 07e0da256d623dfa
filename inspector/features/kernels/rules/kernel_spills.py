"""Kernels that run out of registers."""

from collections.abc import Iterator

from inspector.report.rule import Advised, Rule
from inspector.report.severity import Severity
from inspector.report.wording import count
from inspector.run.kernel_facts import ConfigFacts, KernelFacts

_LEAST_BYTES = 64  # a few registers cost nothing that can be measured, also in a loop
_WARP = 32


class SpillsRule(Rule[KernelFacts, Advised]):
    """A kernel spills registers to memory."""

    id = "kernel-spills"
    severity = Severity.WARNING

    def check(self, kernel: KernelFacts) -> Iterator[Advised]:
        """Spills that every configuration has; those with the fewest bytes are shown."""
        least = min(kernel.configs, key=_spilled)
        if _spilled(least) < _LEAST_BYTES:
            return
        resources = least.config.resources
        registers = resources.registers if resources else 0
        threads = (least.config.launched_warps or least.config.num_warps) * _WARP
        yield Advised(
            message=f"spills {_spilled(least):,} bytes of registers per thread",
            why=f"with {count(threads, 'thread')} per block, it needs more than its {registers} "
            "registers per thread",
            fix=_FIX_OWN if kernel.is_users else _FIX_INDUCTOR,
            alternatives=() if kernel.is_users else (_COORDINATE,),
        )


_FIX_OWN = "Use a smaller block or more warps, so each thread holds fewer values."
_FIX_INDUCTOR = (
    "Move some of the fused operators to another graph, or keep fewer tensors alive at a time."
)
_COORDINATE = (
    "torch._inductor.config.coordinate_descent_tuning = True tries other block sizes on the GPU."
)


def _spilled(facts: ConfigFacts) -> int:
    resources = facts.config.resources
    if resources is None:
        return 0
    return (resources.spill_store_bytes or 0) + (resources.spill_load_bytes or 0)


RULE = SpillsRule()
