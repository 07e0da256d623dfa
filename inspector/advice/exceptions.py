"""Exceptions and frames in compiled code."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice
from inspector.advice.kinds import EXCEPTION, SKIPPED

__all__ = ["ADVICE"]

FRAME = Advice(
    id="frame-inspection",
    kinds=(SKIPPED,),
    says=r"qualname: _getframe\b",
    title="inspect.stack, inspect.currentframe or sys._getframe",
    fix="Look at the stack in the caller, and pass what is needed of it; a name can be written "
    "as it is.",
    before="""\
import sys
import torch


@torch.compile
def forward(x):
    y = x * 2
    name = sys._getframe().f_code.co_name
    return y, name


outputs = [forward(x)[0] for x in (torch.ones(3), torch.arange(3.0))]
""",
    after="""\
import torch


@torch.compile
def forward(x):
    y = x * 2
    name = "forward"
    return y, name


outputs = [forward(x)[0] for x in (torch.ones(3), torch.arange(3.0))]
""",
    keeps="The outputs; in compiled code the frames are Dynamo's own in any case.",
    instead_of=r"third-party|file an issue|^Avoid calling",
)

RAISE = Advice(
    id="exception-leaves",
    kinds=(EXCEPTION,),
    where=lambda code: isinstance(code.statement, ast.Raise),
    title="an exception that leaves the compiled function",
    fix="Check the arguments in the caller and raise there: a compiled call that raises runs "
    "eagerly.",
    before="""\
import torch


@torch.compile
def forward(x):
    y = x * 2
    if x.shape[0] > 3:
        raise ValueError("too long")
    return y


def run(x):
    try:
        return forward(x)
    except ValueError as error:
        return str(error)


outputs = [run(x) for x in (torch.ones(4), torch.ones(3))]
""",
    after="""\
import torch


@torch.compile
def compute(x):
    return x * 2


def forward(x):
    if x.shape[0] > 3:
        raise ValueError("too long")
    return compute(x)


def run(x):
    try:
        return forward(x)
    except ValueError as error:
        return str(error)


outputs = [run(x) for x in (torch.ones(4), torch.ones(3))]
""",
    keeps="The outputs and the errors.",
    instead_of=r"^Your code may",
)

ADVICE = (FRAME, RAISE)
