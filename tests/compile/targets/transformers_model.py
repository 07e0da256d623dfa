from transformers import BertConfig, BertModel


def get_model():
    return BertModel(
        BertConfig(
            vocab_size=99, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
            intermediate_size=32, max_position_embeddings=64,
        )
    ).eval()
