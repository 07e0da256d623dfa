"""NumPy in compiled code."""

from __future__ import annotations

from inspector.advice.advice import Advice, Kind
from inspector.advice.code import dotted_name
from inspector.advice.kinds import DATA_DEPENDENT

FUNCTION = Advice(
    id="numpy-function",
    kinds=(Kind("GB0294", "attempted to trace numpy function unsupported by PyTorch"),),
    title="a NumPy function that torch has no counterpart of",
    fix="Write it with tensor operators; or call the NumPy function in the caller, before or "
    "behind the compiled function.",
    before="""\
import numpy as np
import torch


@torch.compile
def forward(x):
    y = np.interp(x.numpy(), [0.0, 1.0], [2.0, 4.0])
    return torch.from_numpy(y) * 2


outputs = [forward(x) for x in (torch.linspace(0, 1, 5), torch.tensor([-1.0, 2.0]))]
""",
    after="""\
import torch


@torch.compile
def forward(x):
    y = torch.lerp(torch.tensor(2.0), torch.tensor(4.0), x.clamp(0, 1)).double()
    return y * 2


outputs = [forward(x) for x in (torch.linspace(0, 1, 5), torch.tensor([-1.0, 2.0]))]
""",
    keeps="The outputs, to rounding: NumPy computes in float64 here.",
)

METHODS = Advice(
    id="ndarray-method",
    kinds=(
        Kind("GB0158", "Unsupported ndarray method call"),
        Kind("GB0250", "ndarray.astype(object)"),
    ),
    title="a method of an array that no tensor has",
    fix="Return the tensor (a `clone()` where it is written to in place later), and call the "
    "method in the caller.",
    before="""\
import torch


@torch.compile
def forward(x):
    y = x * 2
    return y, len(y.numpy().tobytes())


outputs = [forward(x) for x in (torch.ones(3), torch.ones(5))]
""",
    after="""\
import torch


@torch.compile
def compute(x):
    return x * 2


def forward(x):
    y = compute(x)
    return y, len(y.numpy().tobytes())


outputs = [forward(x) for x in (torch.ones(3), torch.ones(5))]
""",
    keeps="The outputs.",
)


RANDOM_NUMBER = Advice(
    id="numpy-random-number",
    kinds=(DATA_DEPENDENT, *FUNCTION.kinds),
    where=lambda code: code.has(
        lambda node: dotted_name(node).startswith(("np.random.", "numpy.random."))
    ),
    title="a random number from NumPy",
    fix="Draw it in the caller, as often as here, and pass it as a tensor; or draw it with torch "
    "(`torch.rand`, `torch.randperm(n)`, `torch.distributions`), which has other random numbers.",
    before="""\
import numpy as np
import torch


@torch.compile
def forward(x):
    return x * float(np.random.rand())


np.random.seed(0)
outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    after="""\
import numpy as np
import torch


@torch.compile
def compute(x, scale):
    return x * scale


def forward(x):
    return compute(x, torch.tensor(np.random.rand(), dtype=torch.float64))


np.random.seed(0)
outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    keeps="The same random numbers. As a Python float the number would be compiled into the graph, "
    "and every new one would compile it again.",
)

ADVICE = (RANDOM_NUMBER, FUNCTION, METHODS)
