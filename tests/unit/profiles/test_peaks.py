"""What the machine's arithmetic can do at most."""

from __future__ import annotations

from inspector.profiles.peaks import peak_flops_per_s

VALUES = {"float32_flops_per_s": 2e11, "fma_flops_per_s": 5e11, "bfloat16_flops_per_s": 8e11}


def test_a_library_s_products_are_not_all_that_a_processor_can_do() -> None:
    assert peak_flops_per_s(VALUES, "float32") == 5e11
    assert peak_flops_per_s({**VALUES, "fma_flops_per_s": 1e11}, "float32") == 2e11
    assert peak_flops_per_s({"float32_flops_per_s": 2e11}, "float32") == 2e11


def test_registers_are_those_of_float32() -> None:
    assert peak_flops_per_s(VALUES, "bfloat16") == 8e11
    assert peak_flops_per_s(VALUES, "int64") is None
