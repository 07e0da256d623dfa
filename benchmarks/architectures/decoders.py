"""Language models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.architectures.inputs import VOCABULARY, ids_only, padded_text, text
from benchmarks.architectures.spec import GROUPED, TEXT, Spec, decoder

if TYPE_CHECKING:
    from collections.abc import Mapping

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
        "OPTForCausalLM", "OPTConfig", {**TEXT, "ffn_dim": 64, "word_embed_proj_dim": 32}, text
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
