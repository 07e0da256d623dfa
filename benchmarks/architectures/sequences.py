"""Models from one sequence to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.architectures.inputs import MEL_FRAMES, VOCABULARY, pairs, spectrogram
from benchmarks.architectures.spec import SEQ2SEQ, Spec

if TYPE_CHECKING:
    from collections.abc import Mapping

SEQUENCES: Mapping[str, Spec] = {
    "t5": Spec(
        "T5Model",
        "T5Config",
        {
            "vocab_size": VOCABULARY,
            "d_model": 32,
            "d_kv": 8,
            "d_ff": 64,
            "num_layers": 2,
            "num_heads": 4,
        },
        pairs,
    ),
    "bart": Spec("BartModel", "BartConfig", SEQ2SEQ, pairs),
    "mbart": Spec("MBartModel", "MBartConfig", SEQ2SEQ, pairs),
    "pegasus": Spec("PegasusModel", "PegasusConfig", SEQ2SEQ, pairs),
    "marian": Spec("MarianModel", "MarianConfig", SEQ2SEQ, pairs),
    "m2m_100": Spec("M2M100Model", "M2M100Config", SEQ2SEQ, pairs),
    "led": Spec(
        "LEDModel",
        "LEDConfig",
        {
            **SEQ2SEQ,
            "attention_window": 4,
            "max_encoder_position_embeddings": 64,
            "max_decoder_position_embeddings": 64,
        },
        pairs,
    ),
    "whisper": Spec(
        "WhisperModel",
        "WhisperConfig",
        {
            **{k: v for k, v in SEQ2SEQ.items() if k != "max_position_embeddings"},
            "num_mel_bins": 80,
            "max_source_positions": MEL_FRAMES // 2,
            "max_target_positions": 32,
        },
        spectrogram,
    ),
}
