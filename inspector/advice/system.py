"""Clocks, files, and torch functions that return no tensor."""

from __future__ import annotations

from inspector.advice.advice import case

ADVICE = (
    case("open"),
    case("returns-no-tensor"),
    case("clock"),
)
