"""The inputs of a model of the transformers library, from its configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.capture.layers import ids, tensors
from inspector.model.input_spec import InputSpec

if TYPE_CHECKING:
    from torch import nn

    from inspector.model.input_spec import TensorSpec

_LENGTH = 128


def transformers_inputs(module: nn.Module) -> tuple[InputSpec, ...]:
    """The named inputs of a ``PreTrainedModel``; none for any other module.

    The class is known by its name: transformers need not be installed here.
    """
    if not any(kind.__name__ == "PreTrainedModel" for kind in type(module).__mro__):
        return ()
    config = module.config
    main = getattr(module, "main_input_name", "input_ids")
    inputs = [InputSpec(main, _main(main, config))]
    if main == "input_ids" and _find(config, "image_size") and _find(config, "vision_config"):
        inputs.append(InputSpec("pixel_values", _main("pixel_values", config)))
    if getattr(config, "is_encoder_decoder", False) and _find(config, "vocab_size"):
        inputs.append(InputSpec("decoder_input_ids", _ids(config, 16)))
    return tuple(inputs)


def _main(name: str, config: Any) -> TensorSpec:  # noqa: ANN401 - a transformers configuration
    if name == "pixel_values":
        size = _find(config, "image_size") or 224
        height, width = (size, size) if isinstance(size, int) else (size[0], size[-1])
        return tensors("f32", (1, _find(config, "num_channels") or 3, height, width))[0]
    if name == "input_values":
        return tensors("f32", (1, 16000))[0]
    if name == "input_features":
        frames = 2 * (_find(config, "max_source_positions") or 500)
        return tensors("f32", (1, _find(config, "num_mel_bins") or 80, frames))[0]
    return _ids(config, _LENGTH)


def _ids(config: Any, length: int) -> TensorSpec:  # noqa: ANN401 - a transformers configuration
    longest = _find(config, "max_position_embeddings") or length
    return ids(_find(config, "vocab_size") or 2, (1, min(length, longest)))[0]


def _find(config: Any, name: str) -> Any:  # noqa: ANN401 - an entry of a configuration
    """An entry of a configuration, or of that of its text or vision part."""
    parts = (getattr(config, part, None) for part in ("text_config", "vision_config"))
    for holder in (config, *parts):
        value = getattr(holder, name, None)
        if value is not None:
            return value
    return None
