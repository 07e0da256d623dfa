"""What kind of input a layer takes, the likeliest first, and which layer gets an argument."""

from __future__ import annotations

import ast
import inspect
import itertools
import textwrap
from typing import TYPE_CHECKING, Any

from torch import nn

from inspector.model.dtypes import find_dtype, parse_dtype
from inspector.model.input_spec import TensorSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_IMAGES = {1: (28, 32, 64, 224), 3: (224, 32, 64, 128, 256, 299, 227, 96)}
_OTHER_IMAGES = (32, 16, 64, 8, 4, 224)


def layer_inputs(layer: nn.Module) -> tuple[TensorSpec, ...]:
    """Inputs that fit `layer`, the likeliest first; none where the layer does not say."""
    for kinds, inputs in _KINDS:
        if isinstance(layer, kinds):
            return tuple(inputs(layer))
    return ()


def tensors(dtype: str, *shapes: tuple[int, ...]) -> list[TensorSpec]:
    """Tensors of these shapes."""
    return [TensorSpec(parse_dtype(dtype), shape) for shape in shapes]


def ids(limit: int | None, *shapes: tuple[int, ...]) -> list[TensorSpec]:
    """Tensors of whole numbers below `limit`."""
    return [TensorSpec(parse_dtype("i64"), shape, limit) for shape in shapes]


def _linear(layer: Any) -> list[TensorSpec]:  # noqa: ANN401 - torch is Any to mypy
    size = layer.in_features
    return tensors(_dtype(layer), (1, size), (1, 16, size), (8, size), (size,), (1, size, 16, 16))


def _convolution(layer: Any) -> list[TensorSpec]:  # noqa: ANN401
    channels, dimensions = layer.in_channels, len(layer.kernel_size)
    if dimensions == 1:
        sizes: Iterable[int] = (128, 16, 1024)
    elif layer.transposed:
        sizes = (8, 1, 16, 32)
    else:
        sizes = _IMAGES.get(channels, _OTHER_IMAGES)
    if dimensions == 3:  # noqa: PLR2004 - a video
        sizes = (16, 32, 64)
    shapes = [(batch, channels, *(size,) * dimensions) for batch in (1, 8) for size in sizes]
    return tensors(_dtype(layer), *shapes)


def _embedding(layer: Any) -> list[TensorSpec]:  # noqa: ANN401
    return ids(layer.num_embeddings, (1, 128), (1, 16), (1,), (16,), (8, 16))


def _recurrent(layer: Any) -> list[TensorSpec]:  # noqa: ANN401
    size = layer.input_size
    first = (1, 16, size) if layer.batch_first else (16, 1, size)
    return tensors(_dtype(layer), first, (16, size))


def _cell(layer: Any) -> list[TensorSpec]:  # noqa: ANN401
    return tensors(_dtype(layer), (1, layer.input_size), (1, 16, layer.input_size))


def _attention(layer: Any) -> list[TensorSpec]:  # noqa: ANN401
    first = (1, 16, layer.embed_dim) if layer.batch_first else (16, 1, layer.embed_dim)
    return tensors(_dtype(layer), first, (16, layer.embed_dim))


def _layer_norm(layer: Any) -> list[TensorSpec]:  # noqa: ANN401
    shape = tuple(layer.normalized_shape)
    return tensors(_dtype(layer), (1, 16, *shape), (1, *shape), (8, *shape), shape)


def _channels(layer: Any) -> list[TensorSpec]:  # noqa: ANN401
    count = getattr(layer, "num_features", None) or layer.num_channels
    shapes = ((8, count), (2, count, 16), (2, count, 32, 32), (2, count, 8, 8, 8))
    order = {"BatchNorm1d": (0, 1), "BatchNorm2d": (2,), "BatchNorm3d": (3,)}
    wanted = order.get(type(layer).__name__, (2, 1, 0))
    return tensors(_dtype(layer), *(shapes[index] for index in wanted))


def _dtype(layer: Any) -> str:  # noqa: ANN401
    """The dtype of a layer's first floating-point tensor, in this project's spelling."""
    for tensor in itertools.chain(layer.parameters(), layer.buffers()):
        found = find_dtype(str(tensor.dtype))
        if found is not None and tensor.is_floating_point():
            return found.name
    return "f32"


_CONVOLUTIONS = (
    *(nn.Conv1d, nn.Conv2d, nn.Conv3d),
    *(nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d),
)
_BATCH_NORMS = (
    *(nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.SyncBatchNorm),
    *(nn.InstanceNorm1d, nn.InstanceNorm2d, nn.InstanceNorm3d),
)
_KINDS: tuple[tuple[Any, Callable[[Any], list[TensorSpec]]], ...] = (
    ((nn.Embedding, nn.EmbeddingBag), _embedding),
    (nn.Linear, _linear),
    (_CONVOLUTIONS, _convolution),
    (nn.RNNBase, _recurrent),
    (nn.RNNCellBase, _cell),
    (nn.MultiheadAttention, _attention),
    ((nn.LayerNorm, nn.RMSNorm), _layer_norm),
    ((*_BATCH_NORMS, nn.GroupNorm), _channels),
)


_DEEP = 12


def first_layer(module: nn.Module, parameter: str, depth: int = 0) -> nn.Module | None:
    """The layer that is called with `parameter` first, and whose kind tells what it takes.

    Where the source does not show it (a loop over layers, say), it is the module's first such
    layer. None if there is none.
    """
    if depth > _DEEP:
        return None
    if layer_inputs(module):
        return module
    if isinstance(module, nn.Sequential | nn.ModuleList):
        return _first_of(module)
    for call in _calls_with(module, parameter):
        called = _submodule(module, call.func)
        if called is not None:
            name = _parameter_of(called, call, parameter)
            found = first_layer(called, name, depth + 1)
            if found is not None:
                return found
    return _first_of(module)


def _first_of(module: nn.Module) -> nn.Module | None:
    return next((part for part in module.modules() if layer_inputs(part)), None)


def _calls_with(module: nn.Module, parameter: str) -> Iterator[ast.Call]:
    """The calls in ``forward`` that get the parameter, or what was made of it; inner ones first."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(type(module).forward)))
    except (OSError, TypeError, SyntaxError):
        return
    names = {parameter}
    for node in _in_order(tree):
        if isinstance(node, ast.Call) and _mentions(node, names):
            yield node
        elif isinstance(node, ast.Assign) and _mentions(node.value, names):
            names.update(_targets(node))


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a tree as they are evaluated: children before their parents."""
    for child in ast.iter_child_nodes(node):
        yield from _in_order(child)
    yield node


def _targets(node: ast.Assign) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id


def _mentions(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(part, ast.Name) and part.id in names for part in ast.walk(node))


def _submodule(module: nn.Module, node: ast.expr) -> nn.Module | None:
    """The module that ``self.a.b`` or ``self.a[0]`` is."""
    if isinstance(node, ast.Name):
        return module if node.id == "self" else None
    if isinstance(node, ast.Attribute):
        owner = _submodule(module, node.value)
        found = getattr(owner, node.attr, None)
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        owner = _submodule(module, node.value)
        key = str(node.slice.value)
        found = dict(owner.named_children()).get(key) if owner is not None else None
    else:
        return None
    return found if isinstance(found, nn.Module) else None


def _parameter_of(called: nn.Module, call: ast.Call, name: str) -> str:
    """The name that the argument has inside the module that is called."""
    for keyword in call.keywords:
        if keyword.arg is not None and _mentions(keyword.value, {name}):
            return keyword.arg
    try:
        parameters = list(inspect.signature(called.forward).parameters)
    except (TypeError, ValueError):
        return name
    at = next((i for i, arg in enumerate(call.args) if _mentions(arg, {name})), 0)
    return parameters[at] if at < len(parameters) else name
