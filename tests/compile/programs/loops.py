"""More programs for the advice of inspector/advice/loops.py."""

from __future__ import annotations

from tests.compile.advised import BY_ID

_COUNTED = BY_ID["tensor-as-count"].before


VARIANTS = {
    "branch-break": (
        """\
import torch


@torch.compile
def solve(x):
    z = x
    for _ in range(20):
        new = z / 2 + 1
        if (new - z).abs().max().item() < 0.1:
            return new
        z = new
    return z


outputs = [solve(torch.full((3,), 9.0))]
""",
    ),
    "tensor-as-count": (
        _COUNTED.replace("range(n.item())", "range(int(n.view(1)[0]))"),
        _COUNTED.replace("range(n.item())", "range(n)"),
        _COUNTED.replace("    for step in range(n.", "    count = n.").replace(
            "item()):\n", "item()\n    for step in range(count):\n"
        ),
    ),
}
PAIRS = {
    "branch-break": (
        (
            """\
import torch


@torch.compile
def solve(x):
    z = x
    for _ in range(20):
        if z.max() < 2.1:
            break
        z = z / 2 + 1
    return z


outputs = [solve(x) for x in (torch.full((3,), 9.0), torch.full((3,), 2.0))]
""",
            """\
import torch


@torch.compile
def step(z):
    return z / 2 + 1, z.max() < 2.1


def solve(x):
    z = x
    for _ in range(20):
        new, done = step(z)
        if done:
            break
        z = new
    return z


outputs = [solve(x) for x in (torch.full((3,), 9.0), torch.full((3,), 2.0))]
""",
        ),
    ),
    "tensor-as-count": (
        (
            _COUNTED,
            """\
import torch


@torch.compile
def halve(x, step):
    return x / 2 + step


def forward(x, n):
    for step in range(n.item()):
        x = halve(x, step)
    return x


outputs = [forward(torch.ones(3), torch.tensor(n)) for n in (0, 2, 3)]
""",
        ),
    ),
}
