"""Objects and their classes."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice, Kind
from inspector.advice.code import dotted_name
from inspector.advice.kinds import BUILTIN, EXCEPTION, SKIPPED

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


CLASS = Advice(
    id="class-statement",
    kinds=(
        Kind("GB8977", "Invalid call to __build_class__"),
        SKIPPED,
    ),
    says=r"build_class",
    title="a class defined in compiled code",
    fix="Define the class at the top of the module, and pass it what it takes from the function.",
    keeps="The outputs.",
    instead_of=r"third-party|file an issue|^Avoid calling",
)

GETATTR = Advice(
    id="getattr-not-a-function",
    kinds=(Kind("GB0256", "User-defined object with non-function __getattr__"),),
    title="a __getattr__ that is no function",
    fix="Write `__getattr__` as a method (`def __getattr__(self, name)`), which is traced.",
    keeps="The outputs.",
)

ADVICE = (DEEPCOPY, HASH, IDENTITY, CLASS, GETATTR)
