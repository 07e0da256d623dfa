"""Reductions that are split over two kernels."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from inspector.features.kernels.kernel_findings import matters
from inspector.report.rule import Advised, Rule
from inspector.report.severity import Severity
from inspector.report.wording import duration
from inspector.run.kernel_facts import KernelFacts

_ONE_KERNEL = "Set torch._inductor.config.split_reductions = False for a single kernel."
_REDUCTIONS = {"reduction", "persistent_reduction"}
_NAME = re.compile(r"triton_\w{3}_fused_(\w+?)_\d+$")
_LEAST_SHARE = 0.1


class SplitReductionRule(Rule[Sequence[KernelFacts], Advised]):
    """A reduction is split into two kernels, and the second one is expensive."""

    id = "kernel-split-reduction"
    severity = Severity.INFO

    def check(self, kernels: Sequence[KernelFacts]) -> Iterator[Advised]:
        """Neighbouring kernels of which the second finishes what the first began."""
        for first, second in pairwise(kernels):
            if not _belong(first, second) or not matters(first):
                continue
            if first.time_ns is None or second.time_ns is None:
                continue
            share = second.time_ns / (first.time_ns + second.time_ns)
            if share >= _LEAST_SHARE:
                yield Advised(
                    message=f"reduces one part per block, and {second.build.name} combines the "
                    "results",
                    why=f"the second kernel takes {duration(second.time_ns)}, {share:.0%} of the "
                    "time of both (predicted)",
                    fix="Reduce several tensors at once, so one kernel has enough blocks.",
                    alternatives=(_ONE_KERNEL,),
                    at_stake_ns=second.time_ns,
                    kernel=first,
                )


def _belong(first: KernelFacts, second: KernelFacts) -> bool:
    """Whether the second's names say that it goes on with the same operators.

    Inductor gives both parts of a split reduction the same operators
    (``torch/_inductor/ir.py``, ``Reduction.create_multilayer``).
    """
    kinds = {first.build.heuristic, second.build.heuristic}
    names = [_NAME.match(kernel.build.name) for kernel in (first, second)]
    operators = [name[1] if name else "" for name in names]
    sizes = [dict(kernel.build.size_hints).get("x", 0) for kernel in (first, second)]
    return kinds <= _REDUCTIONS and operators[0] == operators[1] != "" and sizes[1] < sizes[0]


RULE = SplitReductionRule()
