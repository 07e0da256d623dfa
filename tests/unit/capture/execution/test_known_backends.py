"""Which backends are offered."""

from __future__ import annotations

from inspector.capture.execution.execution import offered_backends


def test_our_own_and_those_of_torch_s_tests_are_nobody_s_choice() -> None:
    known = ["aot_eager", "inductor", "inspector", "relu_compile_error_TESTING_ONLY", "tvm"]
    assert offered_backends(known) == ("aot_eager", "inductor", "tvm")
