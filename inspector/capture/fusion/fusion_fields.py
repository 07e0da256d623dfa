"""What Inductor's scheduler decided: its nodes, what became one kernel, and buffers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Any, NamedTuple

from inspector.capture.fusion.fusion_reach import reached
from inspector.capture.writer import guarded
from inspector.records.fusion import Buffer, Launch, Operation, Reached


def operation(node: Any) -> Operation:
    """A scheduler node before anything is fused."""
    inner = getattr(node, "node", None)
    traffic = _traffic(node)
    sizes: tuple[tuple[str, ...], ...] = ()
    with contextlib.suppress(Exception):  # kinds that have no loops
        sizes = tuple(tuple(map(str, each)) for each in node.get_ranges())
    return Operation(
        name=node.get_name(),
        kind=_kind(node),
        origins=tuple(_origins(node)),
        origin=_origin(inner),
        target=_called(inner),
        sizes=sizes,
        mutates=tuple(str(n) for output in node.get_outputs() for n in output.get_mutations()),
        device=str(node.get_device() or ""),
        reads=traffic.reads,
        writes=traffic.writes,
    )


def launch(node: Any) -> Launch:
    """A scheduler node that is about to become code: one operation, or several."""
    traffic = _traffic(node)
    found = [Reached()]

    def add() -> None:
        reads = reached(node, traffic.reads, is_read=True)
        found.append(Reached(reads, reached(node, traffic.writes, is_read=False)))

    guarded("count the bytes that a kernel reads and writes", add)
    return Launch(
        operations=tuple(item.get_name() for item in node.get_nodes()),
        kind=_kind(node),
        # What is autotuned is a template before, and may be a call of a library by now.
        target=_called(getattr(node, "node", None)),
        reads=traffic.reads,
        writes=traffic.writes,
        bytes_=traffic.total,
        reached=found[-1],
    )


def lowered_direction() -> str:
    """What the graph is for that is being lowered."""
    from torch._inductor.virtualized import V

    if V.graph.is_inference:
        return "inference"
    return "backward" if V.graph.is_backward else "forward"


def buffers(names: Iterable[str]) -> dict[str, Buffer]:
    """The buffers of these names, which the scheduler's dependencies have."""
    from torch._inductor.virtualized import V

    outputs = set(map(str, V.graph.get_output_names()))
    return {
        name: Buffer(
            name,
            _buffer_kind(name, outputs),
            is_removed=name in V.graph.removed_buffers,
            **_whole(name),
            **_described(name),
        )
        for name in dict.fromkeys(names)
    }


class _Traffic(NamedTuple):
    """Bytes by buffer, and of all of them, or None where one is unknown."""

    reads: dict[str, int]
    writes: dict[str, int]
    total: int | None


def _kind(node: Any) -> str:
    from torch._inductor import ir

    operation = getattr(node, "node", None)
    name = type(node).__name__
    inner = [getattr(item, "node", None) for item in node.get_nodes()]
    kinds = {
        "user_kernel": any(isinstance(item, ir.UserDefinedTritonKernel) for item in inner),
        "template": node.is_template(),
        "output": isinstance(operation, ir.MultiOutput),
        "fallback": node.is_extern() and isinstance(operation, ir.FallbackKernel),
        "extern": node.is_extern(),
        "nop": name.startswith("Nop"),
        "foreach": name.startswith(("Foreach", "Combo")),
        "reduction": node.is_reduction(),
    }
    return next((kind for kind, is_that in kinds.items() if is_that), "pointwise")


def _origins(node: Any) -> list[str]:
    """Names of the post-grad graph's nodes that it computes, in the order of that graph."""
    found: dict[str, Any] = {}
    for inner in node.get_nodes():
        operation = getattr(inner, "node", None)
        for origin in operation.get_origins() if operation is not None else ():
            if origin.op != "output":
                found[origin.name] = origin
    return sorted(found, key=lambda name: found[name])  # nodes of torch.fx compare by place


def _origin(operation: Any) -> str:
    found = operation.get_origin_node() if operation is not None else None
    return "" if found is None else str(found.name)


def _called(operation: Any) -> str:
    from torch._higher_order_ops.triton_kernel_wrap import kernel_side_table

    overload = getattr(operation, "op_overload", None)
    if overload is not None:
        return str(overload)
    index = getattr(operation, "kernel_idx", None)
    if index is None:
        return str(getattr(operation, "python_kernel_name", None) or "")
    kernel: Any = kernel_side_table.get_kernel(index)  # the user's; its function is below a tuner
    while not hasattr(kernel, "__name__") and hasattr(kernel, "fn"):
        kernel = kernel.fn
    return str(getattr(kernel, "__name__", ""))


def _traffic(node: Any) -> _Traffic:
    """Bytes by buffer, as ``get_read_write_buffers_sizes`` adds them up (2.11 to 2.13).

    That function remembers its result on the node; this one does not.
    """
    if _kind(node) == "output":  # Inductor counts nothing for it, nor says which value it is of
        of_reads = {str(dependency.name): 0 for dependency in node.read_writes.reads}
        return _Traffic(of_reads, {str(item.get_name()): 0 for item in node.get_outputs()}, 0)
    if not hasattr(node, "get_read_write_buffer_accesses"):
        return _Traffic({}, {}, None)
    both, reads, writes = (
        node.get_read_write_buffer_accesses(include_reads=is_read, include_writes=is_written)
        for is_read, is_written in ((True, True), (True, False), (False, True))
    )
    sizes = list(map(whole_number, both.values()))
    total = None if None in sizes else sum(size or 0 for size in sizes)
    # What is written and read inside of one kernel is in neither, so long as nothing else reads it.
    of_reads, of_writes = (
        {str(name): whole_number(size) or 0 for name, size in each.items() if name in both}
        for each in (reads, writes)
    )
    return _Traffic(of_reads, of_writes, total)


def _buffer_kind(name: str, outputs: set[str]) -> str:
    from torch._inductor.virtualized import V

    if name in V.graph.graph_inputs:
        return "input"
    if name in V.graph.constants:
        return "constant"
    return "output" if name in outputs else "intermediate"


def _whole(name: str) -> dict[str, Any]:
    """The buffer whose memory it has: what is concatenated is written where it ends up."""
    from torch._inductor import ir
    from torch._inductor.virtualized import V

    buffer = V.graph.name_to_buffer.get(name)
    layout = getattr(buffer, "layout", None)
    with contextlib.suppress(Exception):  # a view of something without a name
        if isinstance(layout, ir.NonOwningLayout):
            return {"whole": str(layout.view.get_name())}
        changed = [str(other) for other in buffer.get_mutation_names()] if buffer else []
        if len(changed) == 1:
            return {"changes": changed[0]}
    return {}


def _described(name: str) -> dict[str, Any]:
    from torch._inductor.virtualized import V

    buffer = V.graph.name_to_buffer.get(name) or V.graph.graph_inputs.get(name)
    with contextlib.suppress(Exception):  # kinds without a shape: several outputs, a state
        sizes = tuple(map(_size, buffer.get_size()))
        strides = tuple(map(_size, buffer.get_stride()))
        dtype, device = str(buffer.get_dtype()).removeprefix("torch."), str(buffer.get_device())
        made = _origin(buffer)
        return {
            "dtype": dtype, "shape": sizes, "stride": strides, "device": device, "origin": made,
        }  # fmt: skip
    return {}


def _size(size: Any) -> int | str:
    return whole_number(size) if getattr(size, "is_number", True) else str(size)  # type: ignore[return-value]


def whole_number(value: Any) -> int | None:
    """A size of Inductor's as a number; None where it is a symbol."""
    try:
        return int(value)
    except (TypeError, ValueError):
        return None
