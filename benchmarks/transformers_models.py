"""Small transformers models with random weights: nothing is downloaded.

``build(NAME)`` gives a model and the keyword arguments of one call. Sizes are
the smallest at which every part of an architecture is there (two layers, four
heads), because a graph break comes from the code, not from the size.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from benchmarks.architectures.decoders import DECODERS
from benchmarks.architectures.difficult import DIFFICULT
from benchmarks.architectures.encoders import ENCODERS
from benchmarks.architectures.perception import PERCEPTION
from benchmarks.architectures.sequences import SEQUENCES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.architectures.inputs import Inputs
    from benchmarks.architectures.spec import Spec

SEED = 0
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
