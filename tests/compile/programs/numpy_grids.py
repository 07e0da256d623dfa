"""More programs for the advice of inspector/advice/numpy_numbers.py."""

from __future__ import annotations

from tests.compile.advised import BY_ID

_GRID = BY_ID["numpy-grid"].before
_MESH = BY_ID["numpy-grid"].after


_OPEN = _GRID.replace(
    "torch.from_numpy(np.mgrid[0 : x.shape[0], 0 : x.shape[1]])",
    "map(torch.from_numpy, np.ogrid[0 : x.shape[0], 0 : x.shape[1]])",
)
_BROADCAST = _MESH.replace(
    '    rows, columns = torch.meshgrid(*ranges, indexing="ij")\n',
    "    rows, columns = ranges[0].unsqueeze(1), ranges[1].unsqueeze(0)\n",
)
_ROW = """\
import numpy as np
import torch


@torch.compile
def forward(x):
    return x * torch.from_numpy(np.r_[0 : x.shape[0], 7])[1:]


outputs = [forward(torch.ones(n)) for n in (2, 3, 5)]
"""
_CONCATENATED = """\
import torch


@torch.compile
def forward(x):
    return x * torch.cat((torch.arange(x.shape[0]), torch.tensor([7])))[1:]


outputs = [forward(torch.ones(n)) for n in (2, 3, 5)]
"""
PAIRS = {
    "numpy-grid": ((_OPEN, _BROADCAST), (_ROW, _CONCATENATED)),
}
