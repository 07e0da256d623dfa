"""Classes, exceptions and frames in compiled code."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice, Kind
from inspector.advice.kinds import EXCEPTION, SKIPPED

__all__ = ["ADVICE"]

CLASS = Advice(
    id="class-statement",
    kinds=(
        Kind("GB8977", "Invalid call to __build_class__"),
        SKIPPED,
    ),
    says=r"build_class",
    title="a class defined in compiled code",
    fix="Define the class at the top of the module.",
    before="""\
import torch


@torch.compile
def forward(x):
    y = x * 2

    class Scale:
        factor = 3

    return y * Scale.factor


outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    after="""\
import torch


class Scale:
    factor = 3


@torch.compile
def forward(x):
    y = x * 2
    return y * Scale.factor


outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    keeps="The outputs.",
    instead_of=r"third-party|file an issue|^Avoid calling",
)

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

GETATTR = Advice(
    id="getattr-not-a-function",
    kinds=(Kind("GB0256", "User-defined object with non-function __getattr__"),),
    title="a __getattr__ that is no function",
    fix="Write `__getattr__` as a method (`def __getattr__(self, name)`), which is traced.",
    before="""\
import functools
import torch


class Config:
    __getattr__ = functools.partial(lambda default, name: default, 2)


config = Config()


@torch.compile
def forward(x):
    return x * config.scale


outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    after="""\
import torch


class Config:
    def __getattr__(self, name):
        return 2


config = Config()


@torch.compile
def forward(x):
    return x * config.scale


outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    keeps="The outputs.",
)

ADVICE = (CLASS, FRAME, RAISE, GETATTR)
