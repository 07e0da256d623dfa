"""Loops and checks on the values of tensors."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice
from inspector.advice.kinds import BRANCH, ON_TENSOR

__all__ = ["ADVICE"]

_HINTS = r"torch\.cond|branchless|^Your code may"

LOOP = Advice(
    id="branch-while",
    kinds=(BRANCH,),
    says=ON_TENSOR,
    where=lambda code: isinstance(code.statement, ast.While),
    title="a while loop on the value of a tensor",
    fix="Run a fixed number of steps, and let those that are not wanted change nothing: "
    "`x = torch.where(condition, step(x), x)`, if a step neither writes anywhere nor draws random "
    "numbers.",
    before="""\
import torch


@torch.compile
def forward(x):
    while x.sum() > 1:
        x = x / 2
    return x


outputs = [forward(x) for x in (torch.full((3,), 4.0), torch.zeros(3))]
""",
    after="""\
import torch

STEPS = 8  # as many as can be needed


@torch.compile
def forward(x):
    for _ in range(STEPS):
        x = torch.where(x.sum() > 1, x / 2, x)
    return x


outputs = [forward(x) for x in (torch.full((3,), 4.0), torch.zeros(3))]
""",
    keeps="The outputs and gradients, for inputs that need no more than `STEPS` steps. All steps "
    "are computed; one that is infinite or NaN makes the gradient NaN. The result is a "
    "new tensor.",
    instead_of=_HINTS,
)

RAISE = Advice(
    id="branch-raise",
    kinds=(BRANCH,),
    says=ON_TENSOR,
    where=lambda code: (
        isinstance(code.statement, ast.If)
        and len(code.statement.body) == 1
        and isinstance(code.statement.body[0], ast.Raise)
    ),
    title="an error raised for some values of a tensor",
    fix="Return the condition as a tensor, and raise the error in the caller.",
    before="""\
import torch


@torch.compile
def forward(x):
    y = x.log()
    if y.isnan().any():
        raise ValueError("NaN")
    return y * 2


def run(x):
    try:
        return forward(x)
    except ValueError as error:
        return str(error)


outputs = [run(x) for x in (torch.ones(3), -torch.ones(3))]
""",
    after="""\
import torch


@torch.compile
def compute(x):
    y = x.log()
    return y * 2, y.isnan().any()


def forward(x):
    result, failed = compute(x)
    if failed:
        raise ValueError("NaN")
    return result


def run(x):
    try:
        return forward(x)
    except ValueError as error:
        return str(error)


outputs = [run(x) for x in (torch.ones(3), -torch.ones(3))]
""",
    keeps="The same error, once the graph has run to its end.",
    instead_of=_HINTS,
)

ASSERT = Advice(
    id="branch-assert",
    kinds=(BRANCH,),
    says=ON_TENSOR,
    where=lambda code: isinstance(code.statement, ast.Assert),
    title="an assertion about values, with a message that is made of them",
    fix="Give the assertion a constant message, or none: torch then checks it in the graph.",
    before="""\
import torch


@torch.compile
def forward(x):
    assert (x >= 0).all(), f"negative: {x}"
    return x.sqrt()


def run(x):
    try:
        return forward(x)
    except (AssertionError, RuntimeError):
        return "failed"


outputs = [run(x) for x in (torch.ones(3), -torch.ones(3))]
""",
    after="""\
import torch


@torch.compile
def forward(x):
    assert (x >= 0).all(), "negative"
    return x.sqrt()


def run(x):
    try:
        return forward(x)
    except (AssertionError, RuntimeError):
        return "failed"


outputs = [run(x) for x in (torch.ones(3), -torch.ones(3))]
""",
    keeps="It fails for the same inputs, with a RuntimeError instead of an AssertionError.",
    instead_of=_HINTS,
)

ADVICE = (LOOP, RAISE, ASSERT)
