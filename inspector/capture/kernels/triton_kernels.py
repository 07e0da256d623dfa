"""What Inductor knows of a Triton kernel: its arguments, and its bytes and operations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import torch

from inspector.capture import versions
from inspector.capture.writer import emit, guarded
from inspector.records.kernels import KernelArgument, TritonKernelFacts


def write_kernel(name: str, kernel: Any, nodes: Iterable[Any]) -> None:
    """Writes ``inspector_triton_kernel`` of what computes the scheduler's `nodes`.

    With ``config.profile_bandwidth`` Inductor writes the same into the kernel's source as
    ``kernel_num_gb`` and ``kernel_flop`` (torch/_inductor/codegen/triton.py, 2.11 to 2.13), which
    would then be another source. Its estimate of the bytes takes each buffer that is used in place
    to be read as well; one in which the kernel puts two values of its own after each other is
    written alone.
    """
    from torch._inductor.virtualized import V

    arguments: list[KernelArgument] = []
    sizes: dict[str, dict[str, int]] = {}

    def note() -> None:
        computing = [node for node in nodes if hasattr(node, "get_outputs")]  # others mark loops
        written = {buffer.get_name() for node in computing for buffer in node.get_outputs()}
        # In order (``KernelArgs.python_argdefs``, 2.11 to 2.13).
        _, _, given, _ = kernel.args.python_argdefs()
        arguments.extend(_argument(kernel.args, argument, written) for argument in given)
        # Of the kernel's indices by parameter; those over a list of tensors are in its parts' code.
        numels = getattr(kernel, "numels", {}).items()
        # The size that each symbol had when the graph was compiled; none where all are constants.
        symbols = versions.symbol_values(V.graph.sizevars.shape_env).items()
        sizes.update(
            numels={f"{prefix}numel": _number(size) for prefix, size in numels},
            symbols={str(symbol): int(value) for symbol, value in symbols},
        )

    guarded("read the arguments of a Triton kernel", note)
    estimate = _estimate(kernel, "estimate_kernel_num_bytes")
    unread_bytes = sum(
        math.prod(argument.size) * getattr(torch, argument.dtype[6:]).itemsize
        for argument in arguments
        if argument.name.startswith("in_out_ptr") and not argument.is_read
    )
    traffic_bytes = None if estimate is None else max(0, estimate - unread_bytes)
    flops = _estimate(kernel, "estimate_flops")
    emit(TritonKernelFacts(name, traffic_bytes, flops, tuple(arguments), **sizes))


def _estimate(kernel: Any, function: str) -> int | None:
    estimate: Callable[[], Any] | None = getattr(kernel, function, None)
    try:
        number = None if estimate is None else estimate()
        return None if number is None else int(number)
    except Exception:  # noqa: BLE001 - Inductor asks it of some kinds of kernels alone
        return None


def _argument(args: Any, argument: Any, written: set[str]) -> KernelArgument:
    name = str(getattr(argument, "inner_name", None) or argument.name)
    kind = type(argument).__name__
    if kind == "TensorArg":
        return _tensor(name, args, argument, written)
    if kind == "SizeArg":
        return KernelArgument(name, kind, value=_number(argument.expr))
    if kind == "WorkspaceArg":
        value = _number(argument.count)
        return KernelArgument(name, kind, dtype=str(argument.dtype), value=value)
    return KernelArgument(name, kind)


def _tensor(name: str, args: Any, argument: Any, written: set[str]) -> KernelArgument:
    from torch._inductor.virtualized import V

    first, last = argument.buffer, argument.buffer
    is_input = argument.buffer in args.input_buffers
    is_output = argument.buffer in args.output_buffers
    for inplaced in args.inplace_buffers.values():
        if getattr(inplaced, "inner_name", None) == argument.name:
            # One after the other they lie in the same memory.
            first, last = inplaced.other_names[0], inplaced.other_names[-1]
            is_input, is_output = True, True
    # What is changed in part begins with what was there.
    of_what_is_read = _node
    if not is_input and last not in written and _changes(V.graph, last, written):
        is_input, of_what_is_read = True, _node_at_first
    # A value that the kernel itself has put there is none that it gets.
    is_read = is_input and first not in written
    laid_out = V.graph.constants.get(last)
    if laid_out is None:
        laid_out = V.graph.graph_inputs.get(last) or V.graph.try_get_buffer(last)
        size, stride = (map(_number, laid_out.get_size()), map(_number, laid_out.get_stride()))
    else:
        size, stride = laid_out.shape, laid_out.stride()
    return KernelArgument(
        name,
        "TensorArg",
        argument.buffer,
        str(argument.dtype),
        tuple(size),
        tuple(stride),
        is_read=is_read,
        is_written=is_output,
        reads=of_what_is_read(V.graph, first) if is_read else None,
        writes=_node_written(V.graph, last, written) if is_output else None,
    )


def _node(graph: Any, name: str) -> str | None:
    """The node whose value a buffer has, after all changes."""
    if name in graph.graph_inputs:
        return name
    buffer = graph.try_get_buffer(name)
    node = getattr(buffer, "origin_node", None)
    if node is not None:
        return str(node.name)
    copied = None if buffer is None else _copied(graph, buffer)
    return None if copied is None else _node(graph, copied)


def _copied(graph: Any, buffer: Any) -> str | None:
    """What a buffer is a copy of, in another layout: cuDNN, say, wants channels last."""
    from torch._inductor.ir import Pointwise

    data = getattr(buffer, "data", None)
    if not isinstance(data, Pointwise) or set(data.inner_fn_opcount().used_ops) != {"load"}:
        return None
    reads = list(buffer.get_read_writes().reads)
    if len(reads) != 1 or not hasattr(reads[0], "var_names"):
        return None
    name, sizes = reads[0].name, list(buffer.get_size())
    other = graph.graph_inputs.get(name) or graph.try_get_buffer(name)
    if other is None or list(other.get_size()) != sizes:
        return None
    # Only sizes other than one have an index.
    indices = iter(reads[0].var_names)
    place = [0 if size == 1 else next(indices, 0) for size in sizes]
    index = other.get_layout().make_indexer()(place)
    same = graph.sizevars.statically_known_equals(index, reads[0].index)
    return str(name) if same else None


def _node_at_first(graph: Any, name: str) -> str | None:
    """The node whose value a buffer has that is changed later.

    The buffer's own node is the last one: ``index_put``, say, whose first argument it was before.
    """
    if name in graph.graph_inputs:
        return name
    last = getattr(graph.try_get_buffer(name), "origin_node", None)
    first = last.args[0] if last is not None and last.args else None
    return None if first is None else getattr(first, "name", None)


def _changes(graph: Any, name: str, written: set[str]) -> list[str]:
    """Those buffers of a kernel that lie in another one, in order."""
    real = graph.scheduler.mutation_real_name
    found = [other for other in written if real.get(other) == name]
    return sorted(found, key=lambda other: (len(other), other))


def _node_written(graph: Any, name: str, written: set[str]) -> str | None:
    """The node whose value a kernel puts there: an input, say, has another one then."""
    changes = _changes(graph, name, written)
    last = _node(graph, changes[-1]) if changes else None
    if last is not None:
        return last
    if changes and name in graph.graph_inputs:  # the graph copies a node into it at its end
        copies = (
            getattr(node.args[1], "name", None)
            for node in reversed(graph.module.graph.nodes)
            if str(node.target) == "aten.copy_.default" and str(node.args[0]) == name
        )
        return next(copies, None)
    is_changed_later = not changes and name in graph.scheduler.mutation_real_name.values()
    return _node_at_first(graph, name) if is_changed_later else _node(graph, name)


def _number(size: Any) -> int:
    from torch._inductor.virtualized import V

    return int(V.graph.sizevars.optimization_hint(size, fallback=64))
