"""Copies and the identity of objects."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice, Kind
from inspector.advice.code import dotted_name
from inspector.advice.kinds import BUILTIN, EXCEPTION

DEEPCOPY = Advice(
    id="deepcopy",
    kinds=(
        Kind("GB4198", "Attempted to copy.deepcopy a tensor"),
        Kind("GB0179", "copy.deepcopy()"),
    ),
    title="copy.deepcopy in compiled code",
    fix="Copy a tensor with `clone()` (and `detach()`, as a deep copy has no history); copy a "
    "module in the caller.",
    keeps="The outputs and gradients. A deep copy of a parameter requires gradients of its own: "
    "`x.detach().clone().requires_grad_()`, in the caller.",
    instead_of=r"^Avoid calling copy",
)

IDENTITY = Advice(
    id="id-of-tensor",
    kinds=(
        Kind("GB0141", "Unsupported call_id() without source"),
        Kind("GB4501", "Reconstruction of FakeIdVariable"),
    ),
    title="id() of what is made in compiled code",
    fix="Use a key of your own (an index, a name) instead of `id()`.",
    keeps="The outputs.",
)

HASH = Advice(
    id="hash-of-tensor",
    kinds=(EXCEPTION, BUILTIN),
    where=lambda code: code.has(
        lambda node: isinstance(node, ast.Call) and dotted_name(node.func) in {"hash", "id"}
    ),
    title="hash() or id() of a tensor, used as a number",
    fix="A tensor's hash is its address: use a key of your own (an index, a name) instead.",
    keeps="The outputs.",
    instead_of=r"^Avoid calling builtin|logging function|^Your code may",
)

ADVICE = (DEEPCOPY, HASH, IDENTITY)
