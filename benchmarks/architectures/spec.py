"""What an architecture is, with the sizes that most of them name alike."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from benchmarks.architectures.inputs import PIXELS, VOCABULARY, image, text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from benchmarks.architectures.inputs import Inputs

TEXT: Mapping[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
GROUPED: Mapping[str, Any] = {**TEXT, "num_key_value_heads": 2, "head_dim": 8}
SEQ2SEQ: Mapping[str, Any] = {
    "vocab_size": VOCABULARY,
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 2,
}
VISION: Mapping[str, Any] = {
    "image_size": PIXELS,
    "patch_size": 8,
    "num_channels": 3,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
}
AUDIO: Mapping[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "conv_dim": (32, 32),
    "conv_kernel": (10, 3),
    "conv_stride": (5, 2),
    "num_feat_extract_layers": 2,
    "num_conv_pos_embeddings": 16,
    "num_conv_pos_embedding_groups": 2,
    "mask_time_prob": 0.0,
}


@dataclasses.dataclass(frozen=True, slots=True)
class Spec:
    """One architecture.

    Attributes:
        model: The name of its model class in transformers.
        config: The name of its configuration class.
        settings: What is small about it.
        inputs: Makes the keyword arguments of one call.
        train: Whether it stays in training mode.
    """

    model: str
    config: str
    settings: Mapping[str, Any]
    inputs: Callable[[], Inputs]
    train: bool = False


def encoder(name: str, inputs: Callable[[], Inputs] = text, **settings: Any) -> Spec:
    """A text encoder ``<name>Model`` with the usual names of sizes."""
    return Spec(f"{name}Model", f"{name}Config", {**TEXT, **settings}, inputs)


def decoder(name: str, inputs: Callable[[], Inputs] = text, **settings: Any) -> Spec:
    """A language model ``<name>ForCausalLM`` with grouped key/value heads."""
    return Spec(f"{name}ForCausalLM", f"{name}Config", {**GROUPED, **settings}, inputs)


def vision(name: str, **settings: Any) -> Spec:
    """An image encoder ``<name>Model`` of patches."""
    return Spec(f"{name}Model", f"{name}Config", {**VISION, **settings}, image)
