"""What operators move that change a tensor in place: functionalisation makes new tensors of that.

``x[:, pos] = v`` becomes an ``index_put`` of all of ``x``, and ``x.mul_(2)`` a product that is
copied to ``x`` when everything else is done. Eager PyTorch writes what is new, where it belongs.
"""

from __future__ import annotations

import dataclasses

from inspector.model.graph import Node, tensor_bytes

__all__ = ["adds", "is_copy", "operator_name", "writes_a_part", "written_bytes"]

_COPIES = {"copy", "copy_"}
# They take the tensor first, and what they write last, if that is a tensor.
_PARTS = _COPIES | {
    "as_strided_scatter", "diagonal_scatter", "index_add", "index_copy", "index_put", "scatter",
    "scatter_add", "scatter_reduce", "select_scatter", "slice_scatter", "_unsafe_index_put",
}  # fmt: skip
_ADDING = ("index_add", "scatter_add", "scatter_reduce")


def operator_name(target: str) -> str:
    """``mul`` of ``aten.mul.Tensor``."""
    parts = target.removeprefix("torch.ops.").split(".")
    return parts[1] if parts[0] in {"aten", "prims"} and len(parts) > 1 else parts[-1]


def is_copy(node: Node) -> bool:
    """Whether it writes a value to where another tensor is, as a whole."""
    return operator_name(node.target) in _COPIES and len(node.inputs) > 1


def writes_a_part(node: Node) -> bool:
    """Whether it gives its first input with new values in it, which may be a part of it."""
    return operator_name(node.target).removesuffix("_") in _PARTS and len(node.inputs) > 1


def adds(node: Node) -> bool:
    """Whether the new values are added to those that were there, which are read for it."""
    return any(operator_name(target).startswith(_ADDING) for target in (node.target, node.aten))


def written_bytes(node: Node, values: Node | None) -> int | None:
    """Bytes of the new values.

    Args:
        node: For which `writes_a_part` holds.
        values: Its last input: what it writes or, for a number, an index of as many elements.

    Returns:
        Of a single value that goes to many places, all of the tensor; None for unknown sizes.
    """
    whole = node.bytes_
    if is_copy(node) or values is None or not values.tensors or not node.tensors:
        return whole
    new = tensor_bytes(dataclasses.replace(values.tensors[0], dtype=node.tensors[0].dtype))
    single = tensor_bytes(dataclasses.replace(node.tensors[0], shape=()))
    return whole if None in {whole, new} or new == single else min(whole or 0, new or 0)
