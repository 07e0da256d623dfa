"""Small transformers models with random weights: nothing is downloaded.

``build(NAME)`` gives a model and the keyword arguments of one call. Sizes are
the smallest at which every part of an architecture is there (two layers, four
heads), because a graph break comes from the code, not from the size.
"""

from __future__ import annotations

import dataclasses
import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SEED = 0
BATCH = 2
LENGTH = 8
VOCABULARY = 99
PIXELS = 32
SAMPLES = 800
MEL_FRAMES = 60

Inputs = dict[str, Any]

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

    return {
        "input_features": torch.randn(BATCH, 80, MEL_FRAMES),
        "decoder_input_ids": tokens(),
    }


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


def encoder(name: str, inputs: Callable[[], Inputs] = text, **settings: Any) -> Spec:
    """A text encoder ``<name>Model`` with the usual names of sizes."""
    return Spec(f"{name}Model", f"{name}Config", {**TEXT, **settings}, inputs)


def decoder(name: str, inputs: Callable[[], Inputs] = text, **settings: Any) -> Spec:
    """A language model ``<name>ForCausalLM`` with grouped key/value heads."""
    return Spec(f"{name}ForCausalLM", f"{name}Config", {**GROUPED, **settings}, inputs)


def vision(name: str, **settings: Any) -> Spec:
    """An image encoder ``<name>Model`` of patches."""
    return Spec(f"{name}Model", f"{name}Config", {**VISION, **settings}, image)


ENCODERS: Mapping[str, Spec] = {
    "bert": encoder("Bert"),
    "bert_padded": encoder("Bert", padded_text),
    "roberta": encoder("Roberta", max_position_embeddings=66),
    "camembert": encoder("Camembert", max_position_embeddings=66),
    "xlm_roberta": encoder("XLMRoberta", max_position_embeddings=66),
    "albert": encoder("Albert", embedding_size=16),
    "electra": encoder("Electra", embedding_size=16),
    "ernie": encoder("Ernie"),
    "mpnet": encoder("MPNet"),
    "deberta": encoder("Deberta", relative_attention=True, pos_att_type=["c2p", "p2c"]),
    "deberta_v2": encoder("DebertaV2", relative_attention=True, pos_att_type=["c2p", "p2c"]),
    "squeezebert": encoder("SqueezeBert", embedding_size=32),
    "mobilebert": encoder(
        "MobileBert", embedding_size=16, true_hidden_size=32, intra_bottleneck_size=32
    ),
    "convbert": encoder("ConvBert", embedding_size=16, conv_kernel_size=3),
    "modernbert": encoder("ModernBert", global_attn_every_n_layers=2, local_attention=4),
    "roformer": encoder("RoFormer", embedding_size=16),
    "fnet": encoder("FNet", ids_only),
    "longformer": encoder("Longformer", long_text, attention_window=8, max_position_embeddings=128),
    "big_bird": encoder(
        "BigBird", long_text, attention_type="block_sparse", block_size=4, num_random_blocks=1
    ),
    "distilbert": Spec(
        "DistilBertModel",
        "DistilBertConfig",
        {"vocab_size": VOCABULARY, "dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64},
        text,
    ),
    "xlnet": Spec(
        "XLNetModel",
        "XLNetConfig",
        {"vocab_size": VOCABULARY, "d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 64},
        text,
    ),
    "funnel": Spec(
        "FunnelModel",
        "FunnelConfig",
        {
            "vocab_size": VOCABULARY,
            "block_sizes": [1, 1],
            "num_decoder_layers": 1,
            "d_model": 32,
            "n_head": 4,
            "d_head": 8,
            "d_inner": 64,
        },
        text,
    ),
    "reformer": Spec(
        "ReformerModel",
        "ReformerConfig",
        {
            "vocab_size": VOCABULARY,
            "hidden_size": 32,
            "attention_head_size": 8,
            "num_attention_heads": 4,
            "feed_forward_size": 64,
            "attn_layers": ["local", "lsh"],
            "local_attn_chunk_length": 4,
            "lsh_attn_chunk_length": 4,
            "num_buckets": 2,
            "axial_pos_embds": False,
            "max_position_embeddings": 64,
            "is_decoder": False,
        },
        long_text,
    ),
}

DECODERS: Mapping[str, Spec] = {
    "gpt2": Spec(
        "GPT2LMHeadModel",
        "GPT2Config",
        {"vocab_size": VOCABULARY, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64},
        text,
    ),
    "gpt_neo": Spec(
        "GPTNeoForCausalLM",
        "GPTNeoConfig",
        {
            "vocab_size": VOCABULARY,
            "hidden_size": 32,
            "num_layers": 2,
            "num_heads": 4,
            "attention_types": [[["global", "local"], 1]],
            "window_size": 4,
            "max_position_embeddings": 64,
        },
        text,
    ),
    "gpt_neox": Spec("GPTNeoXForCausalLM", "GPTNeoXConfig", TEXT, text),
    "gptj": Spec(
        "GPTJForCausalLM",
        "GPTJConfig",
        {
            "vocab_size": VOCABULARY,
            "n_embd": 32,
            "n_layer": 2,
            "n_head": 4,
            "rotary_dim": 4,
            "n_positions": 64,
        },
        text,
    ),
    "opt": Spec(
        "OPTForCausalLM",
        "OPTConfig",
        {**TEXT, "ffn_dim": 64, "word_embed_proj_dim": 32},
        text,
    ),
    "bloom": Spec(
        "BloomForCausalLM",
        "BloomConfig",
        {"vocab_size": VOCABULARY, "hidden_size": 32, "n_layer": 2, "n_head": 4},
        text,
    ),
    "llama": decoder("Llama"),
    "llama_padded": decoder("Llama", padded_text),
    "mistral": decoder("Mistral", sliding_window=4),
    "mixtral": decoder("Mixtral", num_local_experts=4, num_experts_per_tok=2),
    "qwen2": decoder("Qwen2"),
    "qwen2_moe": decoder(
        "Qwen2Moe",
        num_experts=4,
        num_experts_per_tok=2,
        moe_intermediate_size=32,
        shared_expert_intermediate_size=32,
    ),
    "qwen3": decoder("Qwen3"),
    "gemma": decoder("Gemma"),
    "gemma2": decoder("Gemma2", sliding_window=4),
    "phi": Spec("PhiForCausalLM", "PhiConfig", TEXT, text),
    "phi3": decoder("Phi3"),
    "stablelm": decoder("StableLm"),
    "olmo": decoder("Olmo"),
    "falcon": Spec("FalconForCausalLM", "FalconConfig", TEXT, text),
    "mamba": Spec(
        "MambaForCausalLM",
        "MambaConfig",
        {"vocab_size": VOCABULARY, "hidden_size": 32, "num_hidden_layers": 2, "state_size": 4},
        ids_only,
    ),
    "rwkv": Spec(
        "RwkvForCausalLM",
        "RwkvConfig",
        {"vocab_size": VOCABULARY, "hidden_size": 32, "num_hidden_layers": 2},
        ids_only,
    ),
    "recurrent_gemma": Spec(
        "RecurrentGemmaForCausalLM",
        "RecurrentGemmaConfig",
        {**GROUPED, "num_hidden_layers": 3, "lru_width": 32, "attention_window_size": 4},
        text,
    ),
}

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

PERCEPTION: Mapping[str, Spec] = {
    "vit": vision("ViT"),
    "deit": vision("DeiT"),
    "beit": vision("Beit"),
    "dinov2": vision("Dinov2"),
    "siglip_vision": Spec("SiglipVisionModel", "SiglipVisionConfig", VISION, image),
    "swin": Spec(
        "SwinModel",
        "SwinConfig",
        {
            "image_size": PIXELS,
            "patch_size": 2,
            "embed_dim": 16,
            "depths": [1, 2],
            "num_heads": [2, 2],
            "window_size": 4,
        },
        image,
    ),
    "convnext": Spec(
        "ConvNextModel",
        "ConvNextConfig",
        {"image_size": PIXELS, "hidden_sizes": [8, 16], "depths": [1, 1], "num_stages": 2},
        image,
    ),
    "resnet": Spec(
        "ResNetModel",
        "ResNetConfig",
        {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1]},
        image,
    ),
    "clip": Spec(
        "CLIPModel",
        "CLIPConfig",
        {
            "text_config": {**TEXT, "projection_dim": 16},
            "vision_config": {**VISION, "projection_dim": 16},
            "projection_dim": 16,
        },
        image_and_text,
    ),
    "wav2vec2": Spec("Wav2Vec2Model", "Wav2Vec2Config", AUDIO, sound),
    "hubert": Spec("HubertModel", "HubertConfig", AUDIO, sound),
}

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

# Architectures and ways of calling that are likelier to break than most.
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

SPECS: Mapping[str, Spec] = {**ENCODERS, **DECODERS, **SEQUENCES, **PERCEPTION, **DIFFICULT}


def build(name: str) -> tuple[Any, Inputs]:
    """A model, and the keyword arguments of one call.

    Raises:
        KeyError: There is no such name in ``SPECS``.
        AttributeError: The installed transformers lacks the architecture.
    """
    import torch

    spec = SPECS[name]
    transformers = importlib.import_module("transformers")
    torch.manual_seed(SEED)
    config = getattr(transformers, spec.config)(**spec.settings)
    model = getattr(transformers, spec.model)(config)
    return model.train(spec.train), spec.inputs()
