"""Torch's hints: which of them tell a person what to change."""

import re
from collections.abc import Sequence

from inspector.trace.graph_break import Cause

# torch/_dynamo/graph_break_hints.py, 2.11 to 2.13.
_EMPTY = re.compile(
    r"Please report an issue to PyTorch|It may be possible to write Dynamo tracing rules"
    r"|This graph break is fundamental|This graph break may have been caused by an earlier"
    r"|This is likely to be a Dynamo bug|This error is likely a|Please file an issue"
)
# These say something, and something else should be tried first.
OF_ERRORS = r"Your code may result in an error when running in eager"
"""How a hint begins that takes the code for wrong."""
_LAST = re.compile(rf"please file an issue on GitHub|{OF_ERRORS}")
# Torch names settings of its module `config` without it in some hints (2.13: trace_autograd_ops).
_SETTING = re.compile(
    r"torch\._dynamo\.(?!config\b)(?P<name>[a-z_]+)(?P<value> ?= ?(?:True|False)\b)"
)
_FUNDAMENTAL = re.compile(r"This graph break is fundamental")
_GB_ID = "GB0088"
_EXCEPTION = re.compile(r"^raised exception ([\w.]+)\((.*)\)$", re.DOTALL)
# Torch 2.11 shows what it traced with.
_TRACED = re.compile(r"^\[(?:Lazy)?ConstantVariable\(\w+: (.*)\)\]$", re.DOTALL)


def useful_hints(hints: Sequence[str]) -> tuple[str, ...]:
    """The hints that say what to change, the best one first."""
    right = (_SETTING.sub(r"torch._dynamo.config.\g<name>\g<value>", hint) for hint in hints)
    useful = [hint for hint in right if not _EMPTY.match(hint)]
    return tuple(sorted(useful, key=lambda hint: bool(_LAST.search(hint))))


def is_fundamental(hints: Sequence[str]) -> bool:
    """Whether torch says that it will hardly ever be able to trace this."""
    return any(_FUNDAMENTAL.match(hint) for hint in hints)


def raised(cause: Cause) -> str:
    """``KeyError('missing')``; empty where it is no such break, or torch does not say."""
    found = _EXCEPTION.match(cause.context.strip()) if cause.gb_id == _GB_ID else None
    if found is None:
        return ""
    name, given = found.groups()
    if traced := _TRACED.match(given):
        given = traced.group(1)
    return f"{name}({'' if given in {'[]', '()'} or 'Variable(' in given else given})"
