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
    keeps="The outputs, where no two tensors share memory without being the same object.",
)

STORAGE = Advice(
    id="storage",
    kinds=(METHOD,),
    says=r"UntypedStorage|TypedStorage",
    title="a tensor's storage",
    fix="Ask the tensor (`x.numel() * x.element_size()`), or look at the storage in the caller.",
    keeps="The number, for a tensor that is no view of another one.",
    instead_of=r"^Avoid calling",
)

ADVICE = (DATA_PTR, STORAGE)
