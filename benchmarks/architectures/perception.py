"""Models of images and of sound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.architectures.inputs import PIXELS, image, image_and_text, sound
from benchmarks.architectures.spec import AUDIO, TEXT, VISION, Spec, vision

if TYPE_CHECKING:
    from collections.abc import Mapping

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
