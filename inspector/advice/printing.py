"""Output from compiled code: print and streams."""

from __future__ import annotations

from inspector.advice.advice import Advice
from inspector.advice.code import attribute
from inspector.advice.kinds import BUILTIN, METHOD
from inspector.advice.moving import in_the_caller
from inspector.advice.one_function import CALLS_ALONE, SETS, decorated, under

# Anything else, a shape for one, breaks the graph all the same, with GB0296 (torch 2.11 and 2.13).
_PLAIN = (
    r"(?s)builtin(?: operator)? `?print\b.*argument types "
    r"\[(?:'(?:Tensor|bool|device|dtype|float|int|str)'(?:, )?)*\]"
)
_SETTING = "reorderable_logging_functions={print}"
_PRINT = """\
import torch


@torch.compile
def forward(x):
    gate = torch.sigmoid(x)
    print("gate", gate.mean())
    return x * gate


outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
"""

_PRINT_IN_PLACE = """\
import torch


@torch.compile
def forward(x):
    y = x * 2
    print(y.detach())
    y.add_(1)
    return y


outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
"""
_RETURN_IN_PLACE = """\
import torch


@torch.compile
def compute(x):
    y = x * 2
    seen = y.detach().clone()
    y.add_(1)
    return y, seen


def forward(x):
    result, seen = compute(x)
    print(seen)
    return result


outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
"""
_PRINT_LOOP = """\
import torch


@torch.compile
def forward(x):
    for index in range(3):
        x = x * 2
        print(index, x.detach().sum())
    return x


outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
"""
_RETURN_LOOP = """\
import torch


@torch.compile
def compute(x):
    sums = []
    for _ in range(3):
        x = x * 2
        sums.append(x.detach().sum())
    return x, sums


def forward(x):
    result, sums = compute(x)
    for index, total in enumerate(sums):
        print(index, total)
    return result


outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
"""

PRINT = Advice(
    id="print",
    kinds=(BUILTIN,),
    says=r"builtin(?: operator)? `?print\b",
    title="print in compiled code",
    fix="Return what is printed (a `clone()` of a tensor that is written to in place later), and "
    "print it in the caller, outside of the compiled function; from a loop, a list of it.",
    tailored=in_the_caller,
    before=_PRINT,
    after="""\
import torch


@torch.compile
def compute(x):
    gate = torch.sigmoid(x)
    return x * gate, gate.mean()


def forward(x):
    result, mean = compute(x)
    print("gate", mean)
    return result


outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
""",
    keeps="Prints the same, when the graph has run; without the `clone()` a tensor that is "
    "written to in place later prints as it is then.",
    pairs=((_PRINT_IN_PLACE, _RETURN_IN_PLACE), (_PRINT_LOOP, _RETURN_LOOP)),
    instead_of=r"^Avoid calling builtin|logging function",
)

PRINT_REORDERED = Advice(
    id="print-reordered",
    kinds=(BUILTIN,),
    says=_PLAIN,
    title="print in compiled code, left where it is",
    fix=f"Put {under(_SETTING)}. torch then prints after the graph, not in the middle of it. A "
    "tensor that is written to in place later prints as it is then.",
    before=_PRINT,
    after=decorated(_PRINT, _SETTING),
    holds_elsewhere=True,
    keeps="Prints the same, in the same order, when the graph has run. Only tensors, constants and "
    "format strings can be printed so; a tensor that is changed in place later prints as it is "
    f"then. {CALLS_ALONE} {SETS}",
    other_way_of=("print", "checkpointed-value"),
)

STREAM = Advice(
    id="stream-write",
    kinds=(METHOD,),
    says=r"`(?:write|flush)` of class `(?:TextIOWrapper|StringIO|EncodedFile|<unknown type>)`"
    r"|TextIOWrapper",
    where=lambda code: code.has(attribute("write", "flush")),
    title="writing to a stream in compiled code",
    fix="Return what is written (a `clone()` of a tensor that is written to in place later), and "
    "write it in the caller, outside of the compiled function, as often and under the same "
    "conditions.",
    tailored=in_the_caller,
    before="""\
import sys
import torch


@torch.compile
def forward(x):
    y = torch.relu(x)
    sys.stdout.write("step\\n")
    return y * 2


outputs = [forward(x) for x in (torch.ones(3), -torch.ones(3))]
""",
    after="""\
import sys
import torch


@torch.compile
def compute(x):
    return torch.relu(x) * 2


def forward(x):
    result = compute(x)
    sys.stdout.write("step\\n")
    return result


outputs = [forward(x) for x in (torch.ones(3), -torch.ones(3))]
""",
    keeps="Writes the same, when the graph has run.",
    instead_of=r"^Avoid calling",
)

ADVICE = (PRINT, PRINT_REORDERED, STREAM)
