"""The memory of tensors."""

from __future__ import annotations

from inspector.advice.advice import Advice, Kind
from inspector.advice.kinds import METHOD

DATA_PTR = Advice(
    id="data-ptr",
    kinds=(
        Kind("GB5976", "Data pointer comparison"),
        Kind("GB0023", "Builtin `operator.*` comparison with constant `self` failed"),
    ),
    says=r"[Dd]ata.?(?:[Pp]tr|pointer)",
    title="data_ptr() compared",
    fix="Compare the tensors with `is`, which is known while tracing, where no two of them share "
    "memory; or compare the addresses in the caller and pass the answer.",
    before="""\
import torch


@torch.compile
def forward(x, y):
    if x.data_ptr() == y.data_ptr():
        return x * 2
    return x + y


one = torch.ones(3)
outputs = [forward(one, y) for y in (one, torch.arange(3.0))]
""",
    after="""\
import torch


@torch.compile
def forward(x, y):
    if x is y:
        return x * 2
    return x + y


one = torch.ones(3)
outputs = [forward(one, y) for y in (one, torch.arange(3.0))]
""",
    keeps="The outputs, where no two tensors share memory without being the same object.",
)

STORAGE = Advice(
    id="storage",
    kinds=(METHOD,),
    says=r"UntypedStorage|TypedStorage",
    title="a tensor's storage",
    fix="Ask the tensor (`x.numel() * x.element_size()`), or look at the storage in the caller.",
    before="""\
import torch


@torch.compile
def forward(x):
    y = x * 2
    return y, y.untyped_storage().nbytes()


outputs = [forward(x) for x in (torch.ones(3), torch.ones(5))]
""",
    after="""\
import torch


@torch.compile
def forward(x):
    y = x * 2
    return y, y.numel() * y.element_size()


outputs = [forward(x) for x in (torch.ones(3), torch.ones(5))]
""",
    keeps="The number, for a tensor that is no view of another one.",
    instead_of=r"^Avoid calling",
)

ADVICE = (DATA_PTR, STORAGE)
