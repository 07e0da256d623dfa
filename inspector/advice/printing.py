"""Output from compiled code: print, logging, warnings, standard output."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice, Kind
from inspector.advice.code import Code, attribute
from inspector.advice.kinds import BUILTIN, METHOD, SKIPPED

__all__ = ["ADVICE"]


def _tailored(code: Code) -> str:
    """Names what has to be returned."""
    shown = code.shown(code.call)
    if not shown or code.call is None:
        return ""
    values = [arg for arg in code.call.args if not isinstance(arg, ast.Constant)]
    named = [f"`{code.shown(value)}`" for value in values if code.shown(value)]
    if len(named) != len(values) or any(isinstance(value, ast.Starred) for value in values):
        return ""
    if not named:
        return f"Move `{shown}` to the caller, outside of the compiled function."
    return f"Return {' and '.join(named)} as well, and do `{shown}` in the caller, outside of the compiled function."


_PRINT = """\
import torch

@torch.compile
def forward(x):
    gate = torch.sigmoid(x)
    print("gate", gate.mean())
    return x * gate

outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
"""

PRINT = Advice(
    id="print",
    kinds=(BUILTIN,),
    says=r"builtin(?: operator)? `?print\b",
    title="print in compiled code",
    fix="Return what is printed, and print it in the caller, outside of the compiled function.",
    tailored=_tailored,
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
    keeps="Prints the same, when the graph has run.",
    instead_of=r"^Avoid calling builtin|logging function",
)

PRINT_REORDERED = Advice(
    id="print-reordered",
    kinds=(BUILTIN,),
    says=PRINT.says,
    title="print in compiled code, left where it is",
    fix="To leave it where it is: `torch._dynamo.config.reorderable_logging_functions.add(print)` "
    "lets torch print after the graph instead of in the middle of it.",
    before=_PRINT,
    after="""\
import torch

torch._dynamo.config.reorderable_logging_functions.add(print)

@torch.compile
def forward(x):
    gate = torch.sigmoid(x)
    print("gate", gate.mean())
    return x * gate

outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
""",
    keeps="Prints the same, in the same order, when the graph has run. Only tensors, constants and "
    "format strings can be printed so; a tensor that is changed in place later prints as it is then.",
    other_way_of=("print",),
)

LOGGING = Advice(
    id="logging",
    kinds=(Kind("GB0291", "logging.Logger method not supported for non-export cases"),),
    title="a logger in compiled code",
    fix="Return what is logged, and log it in the caller, outside of the compiled function.",
    tailored=_tailored,
    before="""\
import logging
import torch

log = logging.getLogger("model")

@torch.compile
def forward(x):
    norm = x.norm()
    log.warning("norm %s", norm)
    return x / norm

outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    after="""\
import logging
import torch

log = logging.getLogger("model")

@torch.compile
def compute(x):
    norm = x.norm()
    return x / norm, norm

def forward(x):
    result, norm = compute(x)
    log.warning("norm %s", norm)
    return result

outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    keeps="Logs the same records, when the graph has run.",
)

WARNING = Advice(
    id="warning",
    kinds=(SKIPPED,),
    says=r"module: _?warnings, qualname: warn\b",
    title="warnings.warn in compiled code",
    fix="Warn in the caller, before the compiled function is called.",
    tailored=_tailored,
    before="""\
import warnings
import torch

@torch.compile
def forward(x):
    y = torch.relu(x)
    if x.shape[-1] % 8:
        warnings.warn("the last dimension is no multiple of 8")
    return y * 2

outputs = [forward(x) for x in (torch.ones(3), torch.ones(8))]
""",
    after="""\
import warnings
import torch

@torch.compile
def compute(x):
    return torch.relu(x) * 2

def forward(x):
    if x.shape[-1] % 8:
        warnings.warn("the last dimension is no multiple of 8")
    return compute(x)

outputs = [forward(x) for x in (torch.ones(3), torch.ones(8))]
""",
    keeps="Warns in the same cases, before the graph runs.",
    instead_of=r"logging function|file an issue",
)

LOGGING_IGNORED = Advice(
    id="logging-ignored",
    kinds=LOGGING.kinds,
    title="a logger in compiled code whose records nobody needs",
    fix="If nobody needs the record: `torch._dynamo.config.ignore_logging_functions.add("
    "logging.Logger.warning)` (or another method) leaves it out of compiled code.",
    before=LOGGING.before,
    after=LOGGING.before.replace(
        "import torch\n",
        "import torch\n\n"
        "torch._dynamo.config.ignore_logging_functions.add(logging.Logger.warning)\n",
        1,
    ),
    keeps="The outputs. The records are lost.",
    is_silent=True,
    other_way_of=("logging",),
    instead_of=r"ignore_logging_functions",
)

WARNING_REORDERED = Advice(
    id="warning-reordered",
    kinds=(SKIPPED,),
    says=WARNING.says,
    title="warnings.warn in compiled code, left where it is",
    fix="To leave it where it is: "
    "`torch._dynamo.config.reorderable_logging_functions.add(warnings.warn)` lets torch warn after "
    "the graph instead of in the middle of it.",
    before=WARNING.before,
    after=WARNING.before.replace(
        "import torch\n",
        "import torch\n\ntorch._dynamo.config.reorderable_logging_functions.add(warnings.warn)\n",
        1,
    ),
    keeps="Warns in the same cases, when the graph has run.",
    other_way_of=("warning",),
)

STREAM = Advice(
    id="stream-write",
    kinds=(METHOD,),
    says=r"`(?:write|flush)` of class `(?:TextIOWrapper|StringIO|EncodedFile|<unknown type>)`"
    r"|TextIOWrapper",
    where=lambda code: code.has(attribute("write", "flush")),
    title="writing to a stream in compiled code",
    fix="Return what is written, and write it in the caller, outside of the compiled function.",
    tailored=_tailored,
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

ADVICE = (
    PRINT,
    PRINT_REORDERED,
    LOGGING,
    LOGGING_IGNORED,
    WARNING,
    WARNING_REORDERED,
    STREAM,
)
