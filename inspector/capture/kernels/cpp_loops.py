"""Loops of C++ kernels as Inductor is about to write them, and why it does not vectorise one.

``TilingSelect.select_tiling`` returns no tiling for one of four reasons (torch/_inductor/codegen/
cpp.py, 2.11 to 2.13): a dtype that it has no vectors of; too large a share of accesses that are not
contiguous (0.12 of the operations, or 35); an innermost loop of less than a quarter of a vector
with fewer than 10 operations; or there is no loop. What it looked at is looked at again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any
from unittest import mock

from inspector.capture.fusion.fusion_fields import whole_number
from inspector.records.kernels import CppLoop, CppNest, NotTiled

_NO_OPERATIONS = ("ops", "output", "constant", "get_index")
_RATIO = 0.12
_MOST = 35
_FEW_OPERATIONS = 10
_MOST_SHOWN = 6


class TilingNote:
    """What was seen of one decision: why there is no tiling, or None where there is one."""

    def __init__(self) -> None:
        self.reason: NotTiled | None = None
        self._strides: list[tuple[str, str]] = []

    @contextlib.contextmanager
    def strides(self) -> Iterator[None]:
        """Notes the strides that are asked for inside of the ``with``.

        Those of the variables of the loops (``x0``): the heuristic asks for them. Those of other
        names (``d0``) are asked for to choose the loop.
        """
        from torch._inductor.codegen import cpp

        original = cpp.stride_at_vec_range

        def seen(index: Any, var: Any, *args: Any, **kwargs: Any) -> Any:
            stride = original(index, var, *args, **kwargs)
            if str(var).startswith("x"):
                self._strides.append((str(index), str(stride)))
            return stride

        with mock.patch.object(cpp, "stride_at_vec_range", seen):
            yield

    def read(self, result: Any, functions: Any, sizes: Any, *_: Any) -> None:
        """Finds the reason for no indices, from loops' bodies and ranges (plain, reduction)."""
        if not result[1]:
            self.reason = self._reason(functions, sizes)

    def _reason(self, functions: Any, sizes: Any) -> NotTiled:
        from torch._inductor.codegen import cpp

        bodies = cpp._get_loop_body(functions)  # noqa: SLF001 - as torch asks
        dtypes = cpp._get_dtype_from_loopbodies(bodies)  # noqa: SLF001 - as torch asks
        others = tuple(str(dtype) for dtype in dtypes if dtype not in cpp.VECTORIZABLE_DTYPES)
        if others:
            return NotTiled("dtype", others)
        operations = sum(
            isinstance(node.target, str)
            and not node.target.startswith("masked_subblock")
            and node.target not in _NO_OPERATIONS
            for body in bodies
            for block in (body.root_block, *body.subblocks.values())
            for node in block.graph.nodes
        )
        apart = [(index, stride) for index, stride in self._strides if stride not in {"0", "1"}]
        ratio = len(apart) / operations if operations else 0.0
        group, reduction = max(sizes, key=lambda pair: len(pair[1]))
        if len(apart) >= _MOST or ratio >= _RATIO:
            shown = tuple(dict.fromkeys(apart))[:_MOST_SHOWN]
            return NotTiled("indexing", (), len(apart), operations, shown)
        if group and not reduction and operations < _FEW_OPERATIONS:
            return NotTiled("short", size=str(group[-1]))
        return NotTiled()


def no_tiling(proxy: Any) -> NotTiled | None:
    """Why no tiling was selected."""
    if not proxy.picked_vec_isa:
        return NotTiled("isa")
    return None if proxy.itervars else NotTiled("scalar")


def cpp_nest(proxy: Any, nest: Any) -> CppNest:
    """A ``LoopNest`` of torch/_inductor/codegen/cpp.py (2.11 to 2.13), after its loops are marked.

    `proxy` is the kernel that it belongs to; loops that several kernels share have theirs in
    ``kernel.inner``.
    """
    from torch._inductor.utils import get_kernel_metadata
    from torch._inductor.virtualized import V

    inner = getattr(nest.kernel, "inner", None)
    elements = whole_number(proxy.size_hint())
    loops = tuple(
        CppLoop(
            var=str(loop.var),
            size=str(loop.size),
            steps=str(loop.steps),
            parallel=int(loop.parallel),
            is_collapsed=bool(loop.collapsed),
            is_reduction=bool(loop.is_reduction),
            is_vector=bool(loop.simd_vec),
        )
        for loop in nest.loops or ()
    )
    if inner is not None:
        return CppNest(loops, elements, inner=tuple(cpp_nest(item.kernel, item) for item in inner))
    reason = getattr(proxy, "inspector_reason", None)
    nodes = getattr(proxy, "inspector_nodes", ())
    comment = get_kernel_metadata(nodes, V.graph.wrapper_code)[0] if reason and nodes else ""
    return CppNest(loops, elements, reason, comment=comment)


def scheduler_nodes(functions: Any) -> list[Any]:
    """The nodes of the functions that ``codegen_functions`` gets; none where it gets plain bodies.

    ``codegen_nodes`` makes ``functools.partial`` objects of nodes, and ``localize_function`` keeps
    these as ``original_fn`` (torch/_inductor/codegen/cpp.py, 2.11 to 2.13).
    """
    partials = [getattr(function, "original_fn", function) for function in functions]
    first = [next(iter(getattr(item, "args", ())), None) for item in partials]
    return [node for node in first if hasattr(node, "get_nodes")]
