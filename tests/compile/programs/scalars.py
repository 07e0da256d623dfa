"""More programs for the advice of inspector/advice/scalars.py."""

from __future__ import annotations

from tests.compile.advised import BY_ID

_ITEM = BY_ID["item"].before


# The number stays when its tensor is written to.
_ITEM_IN_PLACE = """\
import torch


@torch.compile
def forward(x, y):
    first = x[0].item()
    x.mul_(2)
    return y * first


outputs = [forward(x, torch.ones(3)) for x in (torch.arange(3.0) + 1, torch.zeros(3))]
"""
# A number has no dimensions.
_ITEM_SHAPE = """\
import torch


@torch.compile
def forward(x, w):
    return x.sum() * w.item()


outputs = [forward(x, torch.ones(1)) for x in (torch.arange(3.0), torch.zeros(3))]
"""
# Where the number is NaN, Python's `max` gives what comes first.
_ITEM_NAN = _ITEM.replace("max(scale, 1e-3)", "max(1e-3, scale)").replace(
    "torch.zeros(3))", "torch.zeros(3), torch.tensor([torch.nan, 1.0]))"
)
PAIRS = {
    "item": (
        (
            _ITEM_IN_PLACE,
            _ITEM_IN_PLACE.replace("x[0].item()", "x[0].detach().clone().reshape(())"),
        ),
        (_ITEM_SHAPE, _ITEM_SHAPE.replace("w.item()", "w.detach().clone().reshape(())")),
        (
            _ITEM_NAN,
            _ITEM_NAN.replace("x.std().item()", "x.std().detach()").replace(
                "max(1e-3, scale)", "torch.where(scale > 1e-3, scale, 1e-3)"
            ),
        ),
    ),
}
