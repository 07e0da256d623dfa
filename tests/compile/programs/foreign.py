"""More programs for the advice of inspector/advice/libraries.py."""

from __future__ import annotations

_NAMESPACE = """\
import types
import torch


@torch.compile
def forward(x, scale):
    settings = types.SimpleNamespace(scale=scale)
    return x * settings.scale


outputs = [forward(torch.ones(3), scale) for scale in (2.0, 3.0)]
"""
VARIANTS = {
    "foreign-object": (_NAMESPACE,),
}
PAIRS = {
    "foreign-object": (
        (
            _NAMESPACE,
            _NAMESPACE.replace("import types\n", "")
            .replace(
                "\n\n@torch.compile\n",
                "\n\nclass Settings:\n    def __init__(self, scale):\n        self.scale = scale\n"
                "\n\n@torch.compile\n",
            )
            .replace("types.SimpleNamespace(scale=scale)", "Settings(scale)"),
        ),
    ),
}
