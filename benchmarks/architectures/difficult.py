"""Architectures, and ways of calling them, that are likelier to break than most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.architectures.inputs import (
    BATCH,
    LENGTH,
    VOCABULARY,
    attentions,
    floats,
    ids_only,
    labelled_text,
    pairs,
    patches,
    series,
    sound,
    table_text,
    text,
    waveform,
)
from benchmarks.architectures.spec import AUDIO, SEQ2SEQ, TEXT, Spec, decoder, encoder

if TYPE_CHECKING:
    from collections.abc import Mapping

SERIES_SIZES: Mapping[str, Any] = {
    "prediction_length": 4,
    "context_length": 16,
    "lags_sequence": [1, 2, 3],
    "num_time_features": 2,
    "d_model": 16,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 32,
    "decoder_ffn_dim": 32,
}
EXPERTS: Mapping[str, Any] = {
    "num_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 32,
}

DIFFICULT: Mapping[str, Spec] = {
    "bert_labels": Spec("BertForSequenceClassification", "BertConfig", TEXT, labelled_text),
    "bert_attentions": encoder("Bert", attentions),
    "bert_train": Spec("BertModel", "BertConfig", TEXT, text, train=True),
    # With layers dropped at random the counts would depend on the random numbers.
    "bart_train": Spec(
        "BartModel", "BartConfig", {**SEQ2SEQ, "encoder_layerdrop": 0.0}, pairs, train=True
    ),
    "wav2vec2_train": Spec(
        "Wav2Vec2Model",
        "Wav2Vec2Config",
        {**AUDIO, "mask_time_prob": 0.3, "mask_time_length": 2, "layerdrop": 0.0},
        sound,
        train=True,
    ),
    "switch_transformers": Spec(
        "SwitchTransformersModel",
        "SwitchTransformersConfig",
        {
            "vocab_size": VOCABULARY,
            "d_model": 32,
            "d_kv": 8,
            "d_ff": 64,
            "num_layers": 2,
            "num_heads": 4,
            "num_experts": 4,
        },
        pairs,
    ),
    "nllb_moe": Spec("NllbMoeModel", "NllbMoeConfig", {**SEQ2SEQ, "num_experts": 4}, pairs),
    "qwen3_moe": decoder("Qwen3Moe", **EXPERTS),
    "olmoe": decoder("Olmoe", **EXPERTS),
    "jamba": decoder(
        "Jamba",
        num_experts=2,
        attn_layer_period=2,
        attn_layer_offset=1,
        expert_layer_period=2,
        expert_layer_offset=1,
        use_mamba_kernels=False,
    ),
    "mamba2": Spec(
        "Mamba2ForCausalLM",
        "Mamba2Config",
        {
            "vocab_size": VOCABULARY,
            "hidden_size": 32,
            "num_hidden_layers": 2,
            "state_size": 8,
            "num_heads": 8,
            "head_dim": 8,
            "n_groups": 1,
            "chunk_size": 4,
        },
        ids_only,
    ),
    "xlm": Spec(
        "XLMModel",
        "XLMConfig",
        {"vocab_size": VOCABULARY, "emb_dim": 32, "n_layers": 2, "n_heads": 4},
        text,
    ),
    "ctrl": Spec(
        "CTRLModel",
        "CTRLConfig",
        {"vocab_size": VOCABULARY, "n_embd": 32, "n_layer": 2, "n_head": 4, "dff": 64},
        text,
    ),
    "tapas": encoder("Tapas", table_text),
    "prophetnet": Spec(
        "ProphetNetModel",
        "ProphetNetConfig",
        {
            "vocab_size": VOCABULARY,
            "hidden_size": 32,
            "num_encoder_layers": 1,
            "num_decoder_layers": 1,
            "num_encoder_attention_heads": 4,
            "num_decoder_attention_heads": 4,
            "encoder_ffn_dim": 64,
            "decoder_ffn_dim": 64,
            "decoder_start_token_id": 0,
        },
        pairs,
    ),
    "time_series": Spec(
        "TimeSeriesTransformerModel", "TimeSeriesTransformerConfig", SERIES_SIZES, series
    ),
    "informer": Spec("InformerModel", "InformerConfig", SERIES_SIZES, series),
    "autoformer": Spec("AutoformerModel", "AutoformerConfig", SERIES_SIZES, series),
    "patchtst": Spec(
        "PatchTSTModel",
        "PatchTSTConfig",
        {
            "num_input_channels": 3,
            "context_length": 32,
            "patch_length": 4,
            "patch_stride": 4,
            "d_model": 16,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "ffn_dim": 32,
        },
        patches,
    ),
    "encodec": Spec(
        "EncodecModel",
        "EncodecConfig",
        {
            "num_filters": 4,
            "hidden_size": 8,
            "codebook_size": 16,
            "num_lstm_layers": 1,
            "upsampling_ratios": [4, 2],
        },
        waveform,
    ),
    "perceiver": Spec(
        "PerceiverModel",
        "PerceiverConfig",
        {"d_model": 32, "d_latents": 16, "num_latents": 4, "num_self_attends_per_block": 1},
        lambda: {"inputs": floats(BATCH, LENGTH, 32)},
    ),
}
