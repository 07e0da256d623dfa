"""What a node's target says after AOTAutograd: its name in ATen, views, empty tensors."""

from inspector.run.graph import Node

# Operators of ATen that move nothing: those with an alias of their input as result in
# native_functions.yaml, and what takes one of several results.
_VIEWS = frozenset([
    "alias", "as_strided", "detach", "diagonal", "expand", "expand_as", "getitem", "lift_fresh",
    "movedim", "narrow", "permute", "reshape", "select", "slice", "split", "split_with_sizes",
    "squeeze", "t", "transpose", "unbind", "unfold", "unsqueeze", "unsafe_split",
    "unsafe_split_with_sizes", "unsafe_view", "view", "view_as", "view_as_complex",
    "view_as_real", "_unsafe_view", "_reshape_alias", "real", "imag", "chunk", "flatten",
    "unflatten", "swapaxes", "swapdims",
])  # fmt: skip
_EMPTY = ("empty", "new_empty")


def aten_name(target: str) -> str:
    """``mul`` of ``aten.mul.Tensor``; of what is not ATen's the last part, which is no name there.

    For people `step_names.short_name` has the name of a program's own operator, too.
    """
    parts = target.removeprefix("torch.ops.").split(".")
    return parts[1] if parts[0] in {"aten", "prims"} and len(parts) > 1 else parts[-1]


def is_view(node: Node) -> bool:
    """Whether an operator of a graph after AOTAutograd gives its input in another shape."""
    return aten_name(node.target) in _VIEWS


def is_empty(node: Node) -> bool:
    """Whether it makes a tensor with nothing in it, which is there to be filled."""
    return aten_name(node.target).startswith(_EMPTY)
