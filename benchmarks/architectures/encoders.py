"""Encoders of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.architectures.inputs import VOCABULARY, ids_only, long_text, padded_text, text
from benchmarks.architectures.spec import Spec, encoder

if TYPE_CHECKING:
    from collections.abc import Mapping

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
