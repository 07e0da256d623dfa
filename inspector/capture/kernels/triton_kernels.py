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
    """Writes ``inspector_triton_kernel``.

    With ``config.profile_bandwidth`` Inductor writes the same into the kernel's source as
    ``kernel_num_gb`` and ``kernel_flop`` (torch/_inductor/codegen/triton.py, 2.11 to 2.13), which
    would then be another source. `nodes` are the scheduler's that the kernel computes.
    """
    arguments: list[KernelArgument] = []
    sizes: dict[str, dict[str, int]] = {}

    def note() -> None:
        arguments.extend(_kernel_arguments(kernel, nodes))
        sizes.update(numels=_numel_fields(kernel), symbols=_symbol_hints())

    guarded("arguments of a Triton kernel", note)
    emit(
        TritonKernelFacts(
            name,
            _bytes(kernel, arguments),
            _estimate(kernel, "estimate_flops"),
            tuple(arguments),
            **sizes,
        )
    )


def _bytes(kernel: Any, arguments: Iterable[KernelArgument]) -> int | None:
    """Inductor's estimate, which takes each buffer that is used in place to be read as well.

    One in which the kernel puts two values of its own after each other is written alone.
    """
    estimate = _estimate(kernel, "estimate_kernel_num_bytes")
    unread = [
        math.prod(argument.size) * getattr(torch, argument.dtype[6:]).itemsize
        for argument in arguments
        if argument.name.startswith("in_out_ptr") and not argument.is_read
    ]
    return None if estimate is None else max(0, estimate - sum(unread))


def _estimate(kernel: Any, function: str) -> int | None:
    estimate: Callable[[], Any] | None = getattr(kernel, function, None)
    try:
        number = None if estimate is None else estimate()
        return None if number is None else int(number)
    except Exception:  # noqa: BLE001 - Inductor asks it of some kinds of kernels alone
        return None


def _kernel_arguments(kernel: Any, nodes: Iterable[Any]) -> list[KernelArgument]:
    """The arguments in order (``KernelArgs.python_argdefs``, 2.11 to 2.13), once it is written."""
    computing = [node for node in nodes if hasattr(node, "get_outputs")]  # others mark loops
    written = {buffer.get_name() for node in computing for buffer in node.get_outputs()}
    _, _, arguments, _ = kernel.args.python_argdefs()
    return [_argument(kernel.args, argument, written) for argument in arguments]


def _numel_fields(kernel: Any) -> dict[str, int]:
    """Sizes of the kernel's indices by parameter (``xnumel``).

    A kernel over a list of tensors has none of its own: they stand in the code of its parts.
    """
    sizes = getattr(kernel, "numels", {})
    return {f"{prefix}numel": _number(size) for prefix, size in sizes.items()}


def _symbol_hints() -> dict[str, int]:
    """The size that each symbol had when the graph was compiled; none where all are constants."""
    from torch._inductor.virtualized import V

    values = versions.symbol_values(V.graph.sizevars.shape_env)
    return {str(symbol): int(value) for symbol, value in values.items()}


def _argument(args: Any, argument: Any, written: set[str]) -> KernelArgument:
    name, kind = _inner_name(argument), type(argument).__name__
    if kind == "TensorArg":
        return _tensor(args, argument, written)
    if kind == "SizeArg":
        return KernelArgument(name, kind, value=_number(argument.expr))
    if kind == "WorkspaceArg":
        value = _number(argument.count)
        return KernelArgument(name, kind, dtype=str(argument.dtype), value=value)
    return KernelArgument(name, kind)


def _inner_name(argument: Any) -> str:
    return str(getattr(argument, "inner_name", None) or argument.name)


def _tensor(args: Any, argument: Any, written: set[str]) -> KernelArgument:
    from torch._inductor.virtualized import V

    first, last = argument.buffer, argument.buffer
    is_input = argument.buffer in args.input_buffers
    is_output = argument.buffer in args.output_buffers
    for inplaced in set(map(_names_in_place, args.inplace_buffers.values())):
        if inplaced[0] == argument.name:
            first, last = inplaced[1], inplaced[-1]
            is_input, is_output = True, True
    # What is changed in part begins with what was there.
    of_what_is_read = _node
    if not is_input and last not in written and _changes(V.graph, last, written):
        is_input, of_what_is_read = True, _node_at_first
    # A value that the kernel itself has put there is none that it gets.
    is_read = is_input and first not in written
    size, stride = _layout(V.graph, last)
    return KernelArgument(
        _inner_name(argument),
        "TensorArg",
        argument.buffer,
        str(argument.dtype),
        size,
        stride,
        is_read=is_read,
        is_written=is_output,
        reads=of_what_is_read(V.graph, first) if is_read else None,
        writes=_node_written(V.graph, last, written) if is_output else None,
    )


def _names_in_place(inplaced: Any) -> tuple[str, ...]:
    """The argument, then the buffers that one after the other lie there; nothing if removed."""
    return (
        (inplaced.inner_name, *inplaced.other_names) if hasattr(inplaced, "inner_name") else ("",)
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
    if changes and name in graph.graph_inputs:
        return _node(graph, changes[-1]) or _node_copied(graph, name)
    if changes:
        return _node(graph, changes[-1]) or _node(graph, name)
    is_changed_later = name in graph.scheduler.mutation_real_name.values()
    return _node_at_first(graph, name) if is_changed_later else _node(graph, name)


def _node_copied(graph: Any, name: str) -> str | None:
    """The node that the graph copies into an input at its end."""
    for node in reversed(graph.module.graph.nodes):
        if str(node.target) == "aten.copy_.default" and str(node.args[0]) == name:
            return getattr(node.args[1], "name", None)
    return None


def _layout(graph: Any, name: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if name in graph.constants:
        constant = graph.constants[name]
        return tuple(constant.shape), tuple(constant.stride())
    buffer = graph.graph_inputs.get(name) or graph.try_get_buffer(name)
    return tuple(map(_number, buffer.get_size())), tuple(map(_number, buffer.get_stride()))


def _number(size: Any) -> int:
    from torch._inductor.virtualized import V

    return int(V.graph.sizevars.optimization_hint(size, fallback=64))
