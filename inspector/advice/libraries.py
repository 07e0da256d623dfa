"""Functions that are not written in Python, and modules of the standard library."""

from __future__ import annotations

from inspector.advice.advice import case
from inspector.advice.code import dotted_name
from inspector.advice.moving import call_before

_WRITES = ("json.dump", "json.dumps")


ADVICE = (
    case("c-function", tailored=call_before),
    case("custom-operator"),
    case("json-written", where=lambda code: code.has(lambda node: dotted_name(node) in _WRITES)),
    case("json", where=lambda code: code.has(lambda node: dotted_name(node).startswith("json."))),
    case("import"),
    case("foreign-object"),
)
