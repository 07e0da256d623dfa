"""Kernels whose threads move little with each access."""

from collections import Counter
from collections.abc import Iterator, Sequence

from inspector.report.rule import Advised, Rule
from inspector.report.severity import Severity
from inspector.run.kernel_analysis import Access, AccessKind, InstructionKind
from inspector.run.kernel_facts import Bound, ConfigFacts, KernelFacts

_NARROW_BITS = 64
_LEAST_SHARE = 0.5
_SMALL_SHARE = 0.1
_LEAST_MEMORY = 0.5
_FEW = 2
_MOVED = (AccessKind.LOAD, AccessKind.STORE, AccessKind.ASYNC_COPY)


class NarrowRule(Rule[KernelFacts, Advised]):
    """A kernel moves its bytes in narrow accesses."""

    id = "kernel-narrow-accesses"
    severity = Severity.WARNING

    def check(self, kernel: KernelFacts) -> Iterator[Advised]:
        """Narrow in every configuration, for a reason that can be fixed."""
        best = min(kernel.configs, key=_narrow_share)
        share = _narrow_share(best)
        if share < _LEAST_SHARE or not _is_concerned(best):
            return
        reasons = _reasons(best.analysis.accesses)
        if not reasons:
            return
        names = sorted({name for _, name, _ in reasons if name})
        _, _, first = max(reasons)
        sizes = [name for name, _ in kernel.build.arguments if name.startswith("ks")]
        if sizes and first == _UNALIGNED:
            first = _DYNAMIC
        yield Advised(
            message=f"moves {share:.0%} of its bytes in accesses narrower than {_NARROW_BITS} bits",
            why=f"{first}" + (f" ({', '.join(names)})" if names else ""),
            fix=_FIXES[first],
        )


_UNALIGNED = "the elements that neighboring threads access do not start at a multiple of 16 bytes"
_MASKED = "its mask does not end at a multiple of 16 bytes, so every element is masked separately"
_STRIDED = "neighboring elements are not adjacent in memory"
_DYNAMIC = "its sizes are dynamic, so rows may not start at multiples of 16 bytes"
_FIXES = {
    _DYNAMIC: "Compile it for fixed sizes (dynamic=False), or keep the innermost size fixed.",
    _UNALIGNED: "Pad the innermost size to a multiple of 16 bytes, or start the slice at such a "
    "multiple.",
    _MASKED: "Make the total size, or the innermost size, a multiple of 16 bytes.",
    _STRIDED: "Make the innermost dimension contiguous before this operation.",
}


def _narrow_share(facts: ConfigFacts) -> float:
    widths = (*facts.analysis.loads, *facts.analysis.stores)
    total = sum(width.bytes for width in widths)
    narrow = sum(width.bytes for width in widths if width.bits < _NARROW_BITS)
    return narrow / total if total else 0.0


def _is_concerned(facts: ConfigFacts) -> bool:
    """Whether its accesses can be what it waits for: more of them are also more to issue."""
    prediction = facts.prediction
    if prediction is None or prediction.bound is Bound.MEMORY:
        return True
    is_near = (prediction.memory_ns or 0) >= _LEAST_MEMORY * (prediction.compute_ns or 0)
    return is_near and facts.analysis.count(InstructionKind.TENSOR) == 0


def _reasons(accesses: Sequence[Access]) -> list[tuple[int, str, str]]:
    """Bytes, argument and reason of narrow accesses; those without a reason are not wrong."""
    moved = [access for access in accesses if access.kind in _MOVED]
    total = sum(access.bytes for access in moved)
    # What several accesses share, as the windows of a pooling do, is strided by its nature.
    uses = Counter(access.argument for access in moved)
    return [
        (access.bytes, access.argument, _reason(access))
        for access in moved
        if access.bits
        and access.bits[0] < _NARROW_BITS
        and access.bytes >= _SMALL_SHARE * total
        and uses[access.argument] <= _FEW
        and _reason(access)
    ]


def _reason(access: Access) -> str:
    if access.is_indirect or access.contiguous is None or access.stride == 0:
        return ""
    if access.alignment_bytes is not None and access.alignment_bytes * 8 < _NARROW_BITS:
        is_strided = access.contiguous == 1 and access.stride not in {1, None}
        return _STRIDED if is_strided else _UNALIGNED
    return _MASKED if access.is_masked and access.contiguous > 1 else ""


RULE = NarrowRule()
