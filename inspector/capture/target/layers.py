"""What kind of input a layer takes, the likeliest first."""

import itertools
from collections.abc import Callable, Iterable
from typing import Any

from torch import nn

from inspector.shared.dtypes import find_dtype, parse_dtype
from inspector.shared.input_spec import TensorSpec

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


def _convolution(layer: Any) -> list[TensorSpec]:
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


def _features(layer: Any, size: int) -> list[TensorSpec]:
    return tensors(_dtype(layer), (1, size), (1, 16, size), (8, size), (size,), (1, size, 16, 16))


def _sequences(layer: Any, size: int) -> list[TensorSpec]:
    first = (1, 16, size) if layer.batch_first else (16, 1, size)
    return tensors(_dtype(layer), first, (16, size))


def _normalized(layer: Any, *shape: int) -> list[TensorSpec]:
    return tensors(_dtype(layer), (1, 16, *shape), (1, *shape), (8, *shape), shape)


def _channels(layer: Any) -> list[TensorSpec]:
    count = getattr(layer, "num_features", None) or layer.num_channels
    shapes = ((8, count), (2, count, 16), (2, count, 32, 32), (2, count, 8, 8, 8))
    order = {"BatchNorm1d": (0, 1), "BatchNorm2d": (2,), "BatchNorm3d": (3,)}
    wanted = order.get(type(layer).__name__, (2, 1, 0))
    return tensors(_dtype(layer), *(shapes[index] for index in wanted))


def _dtype(layer: Any) -> str:
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
    (
        (nn.Embedding, nn.EmbeddingBag),
        lambda layer: ids(layer.num_embeddings, (1, 128), (1, 16), (1,), (16,), (8, 16)),
    ),
    (nn.Linear, lambda layer: _features(layer, layer.in_features)),
    (_CONVOLUTIONS, _convolution),
    (nn.RNNBase, lambda layer: _sequences(layer, layer.input_size)),
    (
        nn.RNNCellBase,
        lambda layer: tensors(_dtype(layer), (1, layer.input_size), (1, 16, layer.input_size)),
    ),
    (nn.MultiheadAttention, lambda layer: _sequences(layer, layer.embed_dim)),
    ((nn.LayerNorm, nn.RMSNorm), lambda layer: _normalized(layer, *layer.normalized_shape)),
    ((*_BATCH_NORMS, nn.GroupNorm), _channels),
)


_MOST_LAYERS = 4  # whose inputs are tried for each argument of a module


def module_inputs(module: nn.Module) -> list[TensorSpec]:
    """Inputs that fit some layer of a module, the likeliest of its first layers first."""
    found = dict.fromkeys(filter(None, map(layer_inputs, module.modules())))
    in_turns = itertools.zip_longest(*itertools.islice(found, _MOST_LAYERS))
    return list(dict.fromkeys(filter(None, itertools.chain.from_iterable(in_turns))))
