"""How two kernels use a tensor that both use: why one loop over it would not do for both."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["use_fields"]

_MOST = 4
_LONG = 200


def use_fields(first: Any, second: Any, names: Iterable[str]) -> list[dict[str, object]]:  # noqa: ANN401
    """The difference for each buffer, as ``Scheduler.decide_fusion_fail_reason`` tells them apart.

    That function (torch/_inductor/scheduler.py, 2.11 to 2.13) looks at one use of each buffer,
    which may be any, and gives a text.

    Args:
        first: A scheduler node.
        second: Another.
        names: Buffers that both use.
    """
    found: list[dict[str, object]] = []
    for name in sorted(names)[:_MOST]:
        uses = [_uses(node, name) for node in (first, second)]
        if all(uses):
            kind, left, right = min(
                (_difference(one, other) for one in uses[0] for other in uses[1]),
                key=lambda item: _KINDS.index(item[0]),
            )
            found.append({"buffer": name, "kind": kind, "first": left, "second": right})
    return found


_KINDS = ("same", "order", "broadcast", "offset", "index", "part", "gather", "whole")


def _uses(node: Any, name: str) -> list[Any]:  # noqa: ANN401
    return [use for use in node.read_writes.reads_and_writes() if use.name == name]


def _difference(first: Any, second: Any) -> tuple[str, str, str]:  # noqa: ANN401
    from torch._inductor.dependencies import MemoryDep

    texts = _text(first), _text(second)
    if not isinstance(first, MemoryDep) or not isinstance(second, MemoryDep):
        return "whole", *texts
    numbers = str(first.get_numel()), str(second.get_numel())
    offsets = str(first.get_offset()), str(second.get_offset())
    kinds = (
        ("same", first == second, texts),
        ("gather", first.is_indirect() or second.is_indirect(), texts),
        ("part", first.get_numel() != second.get_numel(), numbers),
        ("broadcast", _product(first.size) != _product(second.size), texts),
        ("offset", offsets[0] != offsets[1], offsets),
        ("order", _in_memory_order(first) == _in_memory_order(second), texts),
        ("index", True, texts),
    )
    return next((kind, *said) for kind, is_that, said in kinds if is_that)


def _in_memory_order(use: Any) -> Any:  # noqa: ANN401
    return use.normalize_with_stride_order()


def _product(sizes: Iterable[Any]) -> Any:  # noqa: ANN401
    from torch._inductor.utils import sympy_product

    return sympy_product(sizes)


def _text(use: Any) -> str:  # noqa: ANN401
    """``d1 + 64*d0 for d0 < 8, d1 < 64``."""
    ranges = getattr(use, "ranges", None)
    if not ranges:
        return str(getattr(use, "index", ""))[:_LONG]
    loops = ", ".join(f"{name} < {size}" for name, size in ranges.items())
    return f"{use.index} for {loops}"[:_LONG]
