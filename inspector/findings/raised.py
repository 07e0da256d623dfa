"""The exception that Dynamo met while it traced, of torch's context of such a graph break."""

from __future__ import annotations

import re

from inspector.events.graph_break import Cause

_GB_ID = "GB0088"
_EXCEPTION = re.compile(r"^raised exception ([\w.]+)\((.*)\)$", re.DOTALL)
# Torch 2.11 shows what it traced with.
_TRACED = re.compile(r"^\[(?:Lazy)?ConstantVariable\(\w+: (.*)\)\]$", re.DOTALL)


def raised(cause: Cause) -> str:
    """``KeyError('missing')``; empty where it is no such break, or torch does not say."""
    found = _EXCEPTION.match(cause.context.strip()) if cause.gb_id == _GB_ID else None
    if found is None:
        return ""
    name, given = found.groups()
    if traced := _TRACED.match(given):
        given = traced.group(1)
    return f"{name}({'' if given in {'[]', '()'} or 'Variable(' in given else given})"
