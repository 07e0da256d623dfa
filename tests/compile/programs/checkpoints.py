"""More programs for the advice of inspector/advice/checkpoints.py."""

from __future__ import annotations

from tests.compile.advised import BY_ID

_NUMBER = "self.norm = y.norm().item()"
_STORED = BY_ID["checkpointed-value"].before


VARIANTS = {
    "checkpointed-value": (
        _STORED.replace(_NUMBER, "self.norm = y.norm().detach()"),
        _STORED.replace(_NUMBER, 'print("norm", y.norm())'),
        _STORED.replace(
            "checkpoint import checkpoint", "checkpoint import checkpoint as again"
        ).replace(
            "checkpoint(layers[0], x, use_reentrant=False)",
            "again(layers[0], x, use_reentrant=True)",
        ),
    ),
}
