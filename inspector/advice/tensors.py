"""Tensors: kinds of them, their memory, and results that are given."""

from __future__ import annotations

from inspector.advice.advice import case
from inspector.advice.code import attribute

ADVICE = (
    case("data-ptr"),
    case("storage"),
    case("out-argument"),
    case("resize", where=lambda code: code.has(attribute("resize_", "resize_as_"))),
    case("data-of-another-dtype"),
    case("sparse-tensor"),
    case("strided-nested-tensor"),
    case("is-inference-mode"),
)
