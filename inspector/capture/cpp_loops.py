"""One nest of loops of a C++ kernel, as Inductor is about to write it."""

from __future__ import annotations

from typing import Any

from inspector.records.kernels import CppLoop, CppNest, NotTiled


def cpp_nest(proxy: Any, nest: Any) -> CppNest:  # noqa: ANN401 - torch is Any to mypy
    """A ``LoopNest`` of torch/_inductor/codegen/cpp.py (2.11 to 2.13), after its loops are marked.

    Args:
        proxy: The kernel that it belongs to.
        nest: The nest. Loops that several kernels share have theirs in ``kernel.inner``.
    """
    inner = getattr(nest.kernel, "inner", None)
    loops, elements = tuple(map(_loop, nest.loops or ())), _number(proxy.size_hint())
    if inner is not None:
        return CppNest(loops, elements, inner=tuple(cpp_nest(item.kernel, item) for item in inner))
    return CppNest(loops, elements, *_why(proxy))


def scheduler_nodes(functions: Any) -> list[Any]:  # noqa: ANN401
    """The nodes of the functions that ``codegen_functions`` gets; none where it gets plain bodies.

    ``codegen_nodes`` makes ``functools.partial`` objects of nodes, and ``localize_function`` keeps
    these as ``original_fn`` (torch/_inductor/codegen/cpp.py, 2.11 to 2.13).
    """
    partials = [getattr(function, "original_fn", function) for function in functions]
    first = [next(iter(getattr(item, "args", ())), None) for item in partials]
    return [node for node in first if hasattr(node, "get_nodes")]


def _why(proxy: Any) -> tuple[NotTiled | None, tuple[CppNest, ...], str]:  # noqa: ANN401
    """Why it has no vectors, and then of which nodes."""
    from torch._inductor.utils import get_kernel_metadata
    from torch._inductor.virtualized import V

    reason = getattr(proxy, "inspector_reason", None)
    nodes = getattr(proxy, "inspector_nodes", ())
    comment = get_kernel_metadata(nodes, V.graph.wrapper_code)[0] if reason and nodes else ""
    return reason, (), comment


def _loop(loop: Any) -> CppLoop:  # noqa: ANN401
    return CppLoop(
        var=str(loop.var),
        size=str(loop.size),
        steps=str(loop.steps),
        parallel=int(loop.parallel),
        is_collapsed=bool(loop.collapsed),
        is_reduction=bool(loop.is_reduction),
        is_vector=bool(loop.simd_vec),
    )


def _number(value: Any) -> int | None:  # noqa: ANN401
    try:
        return int(value)
    except (TypeError, ValueError):
        return None
