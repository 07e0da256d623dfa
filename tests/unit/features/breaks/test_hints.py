"""Torch's hints, and what is mended in them."""

from __future__ import annotations

from inspector.features.breaks.hints import useful_hints


def test_a_setting_without_its_module_gets_it() -> None:
    hints = ("Set torch._dynamo.trace_autograd_ops=True to trace it.",)
    assert useful_hints(hints) == ("Set torch._dynamo.config.trace_autograd_ops=True to trace it.",)


def test_what_is_right_stays() -> None:
    hints = (
        "Set `torch._dynamo.config.capture_scalar_outputs = True`.",
        "Apply `@torch._dynamo.dont_skip_tracing` to the function `f`.",
    )
    assert useful_hints(hints) == hints
