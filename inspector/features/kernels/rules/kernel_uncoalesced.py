"""Kernels that use little of what memory delivers."""

from collections.abc import Iterator

from inspector.report.rule import Advised, Rule
from inspector.report.severity import Severity
from inspector.report.wording import count
from inspector.run.kernel_analysis import Access, AccessKind
from inspector.run.kernel_facts import ConfigFacts, KernelFacts

_LEAST_WASTE = 0.25
_MOVED = (AccessKind.LOAD, AccessKind.STORE, AccessKind.ASYNC_COPY)


class UncoalescedRule(Rule[KernelFacts, Advised]):
    """A kernel's accesses are not coalesced."""

    id = "kernel-uncoalesced"
    severity = Severity.WARNING

    def check(self, kernel: KernelFacts) -> Iterator[Advised]:
        """Every configuration wastes a good part; the one that wastes least is shown."""
        best = min(kernel.configs, key=_waste)
        waste, prediction = _waste(best), best.prediction
        worst = max(best.analysis.accesses, key=_wasted, default=None)
        if waste < _LEAST_WASTE or worst is None:
            return
        at_stake_ns = None
        if prediction is not None and prediction.memory_ns is not None:
            compute_ns = prediction.compute_ns or 0
            rest_ns = max(prediction.memory_ns * (1 - waste), compute_ns)
            at_stake_ns = max(0, round(max(prediction.memory_ns, compute_ns) - rest_ns))
        used = worst.bytes / (worst.touched_bytes or 1)
        step = f"{count(abs(worst.stride), 'element')} apart" if worst.stride else "elsewhere"
        yield Advised(
            message=f"wastes {waste:.0%} of the bytes that it moves",
            why=f"line {worst.line} of its source uses only {used:.0%} of the "
            f"bytes in the sectors that it accesses in {worst.argument}: neighboring elements are "
            f"{step} in memory",
            fix="Make the tensor contiguous once, in the order in which it is used here.",
            at_stake_ns=at_stake_ns,
        )


def _wasted(access: Access) -> int:
    """Bytes of a program that are moved and not used."""
    is_direct = access.kind in _MOVED and not access.is_indirect
    if not is_direct or access.touched_bytes is None:
        return 0
    return max(0, access.touched_bytes - access.bytes)


def _waste(facts: ConfigFacts) -> float:
    """Share of what is moved that is not used.

    What several accesses of one argument share in a sector is not wasted.
    """
    by_argument: dict[tuple[str, bool], list[Access]] = {}
    for access in facts.analysis.accesses:
        if access.kind in _MOVED:
            key = (access.argument, access.kind is AccessKind.STORE)
            by_argument.setdefault(key, []).append(access)
    used = wasted = 0
    for accesses in by_argument.values():
        together = sum(access.bytes for access in accesses)
        most = max(_wasted(access) + access.bytes for access in accesses)
        used += together
        wasted += max(0, most - together)
    return wasted / (used + wasted) if used else 0.0


RULE = UncoalescedRule()
