"""Kernels that add with atomic operations."""

from collections.abc import Iterator

from inspector.report.rule import Advised, Rule
from inspector.report.severity import Severity
from inspector.run.kernel_analysis import Access, AccessKind
from inspector.run.kernel_facts import KernelFacts

_FLOATS = ("f16", "bf16", "f32", "f64")
_LEAST_SHARE = 0.1


class AtomicsRule(Rule[KernelFacts, Advised]):
    """A kernel adds with atomic operations."""

    id = "kernel-atomics"
    severity = Severity.INFO

    def check(self, kernel: KernelFacts) -> Iterator[Advised]:
        """Every configuration moves a good part of its bytes so."""
        atomics: list[Access] = []
        for facts in kernel.configs:
            accesses = facts.analysis.accesses
            least = _LEAST_SHARE * sum(access.bytes for access in accesses)
            large = [a for a in accesses if a.kind is AccessKind.ATOMIC and a.bytes >= least]
            if not large:
                return
            atomics += large
        first = atomics[0]
        is_float = any(first.dtype.startswith(dtype) for dtype in _FLOATS)
        order = "; their order, and thus the sum, changes from call to call" if is_float else ""
        yield Advised(
            message=f"adds to {first.argument or 'memory'} with {first.dtype} atomics",
            why=f"many threads may write to one element in line {first.line} of its source{order}",
            fix="Sort the indices and reduce by segment, or make index collisions rarer.",
        )


RULE = AtomicsRule()
