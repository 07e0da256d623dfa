"""More programs for the advice of inspector/advice/branch_side_effects.py."""

from __future__ import annotations

from tests.compile.advised import BY_ID

_NOTHING = BY_ID["branch-decided"].before


_KEPT = """\
import torch

kept = []


@torch.compile
def forward(x):
    y = x * 2
    if y.sum() > 10:
        kept.append(y)
    return y + 1


outputs = [forward(x) for x in (torch.ones(3), torch.full((3,), 9.0))] + kept
"""
_COUNTED = """\
import torch

seen = {"large": 0}


@torch.compile
def forward(x):
    if x.sum() > 10:
        seen["large"] += 1
    return x + 1


outputs = [forward(x) for x in (torch.ones(3), torch.full((3,), 9.0))]
outputs.append(torch.as_tensor(seen["large"]))
"""
_NAMED = """\
import torch


@torch.compile
def forward(x):
    kind = "up" if x.sum() > 0 else "down"
    return x * 2 if kind == "up" else x - 1


outputs = [forward(x) for x in (torch.ones(3), -torch.ones(3))]
"""
_ONCE = """\
import torch


class Scale(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(()))
        self.register_buffer("is_set", torch.tensor(False))

    def forward(self, x):
        if not self.is_set:
            self.scale.copy_(x.abs().max())
            self.is_set.fill_(True)
        return x / self.scale


model = torch.compile(Scale())
outputs = [model(x) for x in (torch.full((3,), 2.0), torch.ones(3))]
"""
_MASKED = """\
import torch


@torch.compile
def forward(x, mask):
    if mask.all():
        mask = None
    y = x * 2
    return y if mask is None else y.masked_fill(~mask, 0)


x = torch.ones(3)
outputs = [forward(x, mask) for mask in (x > 0, torch.arange(3) > 1)]
"""
VARIANTS = {
    "branch-decided": (_NOTHING.replace("any()", "any().item()"),),
}
PAIRS = {
    "branch-decided": (
        (
            _KEPT,
            """\
import torch

kept = []


@torch.compile
def compute(x):
    y = x * 2
    return y + 1, y.sum() > 10, y


def forward(x):
    result, is_large, y = compute(x)
    if is_large:
        kept.append(y)
    return result


outputs = [forward(x) for x in (torch.ones(3), torch.full((3,), 9.0))] + kept
""",
        ),
        (
            _COUNTED,
            _COUNTED.replace('"large": 0', '"large": torch.zeros((), dtype=torch.long)').replace(
                """\
    if x.sum() > 10:
        seen["large"] += 1
""",
                """\
    seen["large"] += x.sum() > 10
""",
            ),
        ),
        (
            _NAMED,
            _NAMED.replace('"up" if x.sum() > 0 else "down"', "x.sum() > 0")
            .replace("kind", "is_up")
            .replace('x * 2 if is_up == "up" else x - 1', "torch.where(is_up, x * 2, x - 1)"),
        ),
        (
            _ONCE,
            _ONCE.replace(
                'self.register_buffer("is_set", torch.tensor(False))', "self.is_set = False"
            ).replace("self.is_set.fill_(True)", "self.is_set = True"),
        ),
        (_MASKED, _MASKED.replace("    if mask.all():\n        mask = None\n", "")),
    ),
}
