"""The keyword arguments of one call of a small model."""

from __future__ import annotations

from typing import Any

BATCH = 2
LENGTH = 8
VOCABULARY = 99
PIXELS = 32
SAMPLES = 800
MEL_FRAMES = 60

Inputs = dict[str, Any]


def tokens(length: int = LENGTH) -> Any:
    """Token ids that are no special tokens, int64 of (batch, length)."""
    import torch

    return torch.randint(3, VOCABULARY, (BATCH, length))


def floats(*shape: int) -> Any:
    """Normal random numbers."""
    import torch

    return torch.randn(shape)


def text() -> Inputs:
    """Token ids and a mask without padding."""
    import torch

    ids = tokens()
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids)}


def ids_only() -> Inputs:
    """Token ids alone."""
    return {"input_ids": tokens()}


def long_text() -> Inputs:
    """Token ids long enough for block-sparse attention (64 of them)."""
    import torch

    ids = tokens(64)
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids)}


def padded_text() -> Inputs:
    """Token ids of which the second row ends in padding."""
    inputs = text()
    inputs["input_ids"][1, 5:] = 0
    inputs["attention_mask"][1, 5:] = 0
    return inputs


def pairs() -> Inputs:
    """Token ids for an encoder and a decoder."""
    return {"input_ids": tokens(), "decoder_input_ids": tokens()}


def image() -> Inputs:
    """Pixels of (batch, 3, 32, 32)."""
    import torch

    return {"pixel_values": torch.randn(BATCH, 3, PIXELS, PIXELS)}


def image_and_text() -> Inputs:
    """Pixels and token ids; the last token is the end of the text."""
    inputs = {**text(), **image()}
    inputs["input_ids"][:, -1] = 2
    return inputs


def sound() -> Inputs:
    """A waveform of (batch, samples)."""
    import torch

    return {"input_values": torch.randn(BATCH, SAMPLES)}


def spectrogram() -> Inputs:
    """Mel features of (batch, 80, frames), and token ids for the decoder."""
    import torch

    return {"input_features": torch.randn(BATCH, 80, MEL_FRAMES), "decoder_input_ids": tokens()}


def labelled_text() -> Inputs:
    """Token ids, a mask and a class for each row."""
    import torch

    return {**text(), "labels": torch.tensor([0, 1])}


def attentions() -> Inputs:
    """Token ids, and every intermediate result asked for."""
    return {**text(), "output_attentions": True, "output_hidden_states": True}


def table_text() -> Inputs:
    """Token ids of a table, with the seven kinds of token types of Tapas."""
    import torch

    ids = tokens()
    types = torch.zeros(*ids.shape, 7, dtype=torch.long)
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "token_type_ids": types}


def waveform() -> Inputs:
    """A waveform of (batch, channel, samples)."""
    import torch

    return {"input_values": torch.randn(BATCH, 1, SAMPLES)}


def series() -> Inputs:
    """A time series: 19 past values (context and lags), 4 future ones, two time features."""
    import torch

    return {
        "past_values": torch.randn(BATCH, 19),
        "past_time_features": torch.randn(BATCH, 19, 2),
        "past_observed_mask": torch.ones(BATCH, 19),
        "future_values": torch.randn(BATCH, 4),
        "future_time_features": torch.randn(BATCH, 4, 2),
    }


def patches() -> Inputs:
    """A multivariate time series of (batch, steps, channels)."""
    import torch

    return {"past_values": torch.randn(BATCH, 32, 3)}
