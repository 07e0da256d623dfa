"""Training: optimizers, several devices, profilers and files."""

from __future__ import annotations

from inspector.advice.advice import case

ADVICE = (
    case("optimizer"),
    case("scheduled-optimizer"),
    case("optimizer-step"),
    case("grad-scaler"),
    case("data-loader"),
    case("distributed-data-parallel"),
    case("fully-sharded"),
    case("profiler-step"),
    case("save-or-load"),
)
