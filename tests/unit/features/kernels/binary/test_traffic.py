"""Bytes of kernels for several tensors, as Inductor writes ``_foreach_*`` and ``torch.cat``."""

from __future__ import annotations

import pytest

from inspector.features.kernels.binary.traffic import traffic_of
from inspector.features.kernels.binary.ttgir import parse_ttgir

HEAD = """\
#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [8]}>
module attributes {"ttg.num-warps" = 8 : i32} {
"""
TENSOR = "tensor<1024xi32, #blocked>"
POINTERS = "tensor<1024x!tt.ptr<f32>, #blocked>"
OF_A_TENSOR = 4096 * 4


def kernel(tensors: int) -> str:
    """Each tensor has 4 programs of 1024 elements, and a branch: MLIR names each alike."""
    pointers = [f"%{kind}_ptr{n}" for n in range(tensors) for kind in ("in", "out")]
    arguments = ", ".join(f"{name}: !tt.ptr<f32>" for name in pointers)
    lines = [
        f"tt.func public @foreach({arguments}) attributes {{noinline = false}} {{",
        "%c4 = arith.constant 4 : i32", "%c1024 = arith.constant 1024 : i32",
        "%pid = tt.get_program_id x : i32",
    ]  # fmt: skip
    for n in range(tensors):
        # Named by its place: the first value of each branch that has no name of its own.
        lines += [
            f"%end{n} = arith.constant {4 * (n + 1)} : i32",
            f"%{n} = arith.cmpi slt, %pid, %end{n} : i32",
            f"scf.if %{n} {{",
            f"%begin = arith.constant {4 * n} : i32",
            "%own = arith.subi %pid, %begin : i32",
            "%offset = arith.muli %own, %c1024 : i32",
            f"%range = tt.make_range {{end = 1024 : i32, start = 0 : i32}} : {TENSOR}",
            f"%splat = tt.splat %offset : i32 -> {TENSOR}",
            f"%index = arith.addi %splat, %range : {TENSOR}",
            f"%from = tt.splat %in_ptr{n} : !tt.ptr<f32> -> {POINTERS}",
            f"%at = tt.addptr %from, %index : {POINTERS}, {TENSOR}",
            f"%value = tt.load %at : {POINTERS}",
            f"%{n + 1} = tt.splat %out_ptr{n} : !tt.ptr<f32> -> {POINTERS}",
            f"%{n + 2} = tt.addptr %{n + 1}, %index : {POINTERS}, {TENSOR}",
            f"tt.store %{n + 2}, %value : {POINTERS}",
            "} else {",
        ]
    return HEAD + "\n".join([*lines, *["}"] * tensors, "tt.return", "}", "}"])


@pytest.mark.parametrize("tensors", [2, 3, 12])
def test_each_tensor_of_a_kernel_for_several_counts(tensors: int) -> None:
    found = traffic_of(parse_ttgir(kernel(tensors)), (4 * tensors, 1, 1), {})
    assert found is not None
    assert found.least_bytes == 2 * tensors * OF_A_TENSOR
    assert found.is_complete


CHANNELS, SAMPLES = 65536, 16


def concatenation(inputs: int) -> str:
    """`torch.cat(…, 1)`: in each of 16 samples 65,536 elements of each input follow one another."""
    constants = {"own": CHANNELS, "all": CHANNELS * inputs, "inputs": inputs}
    arguments = ", ".join(f"%in_ptr{n}: !tt.ptr<f32>" for n in range(inputs))
    lines = [
        f"tt.func public @cat({arguments}) attributes {{noinline = false}} {{",
        *(f"%{k} = arith.constant dense<{v}> : {TENSOR}" for k, v in constants.items()),
        "%c1024 = arith.constant 1024 : i32",
        "%pid = tt.get_program_id x : i32",
        "%offset = arith.muli %pid, %c1024 : i32",
        f"%range = tt.make_range {{end = 1024 : i32, start = 0 : i32}} : {TENSOR}",
        f"%splat = tt.splat %offset : i32 -> {TENSOR}",
        f"%index = arith.addi %splat, %range : {TENSOR}",
        f"%x0 = arith.remsi %index, %own : {TENSOR}",
        f"%row = arith.divsi %index, %own : {TENSOR}",
        f"%x1 = arith.remsi %row, %inputs : {TENSOR}",
        f"%x2 = arith.divsi %index, %all : {TENSOR}",
        f"%begin = arith.muli %x2, %own : {TENSOR}",
        f"%place = arith.addi %begin, %x0 : {TENSOR}",
    ]
    for n in range(inputs):
        lines += [
            f"%n{n} = arith.constant dense<{n}> : {TENSOR}",
            f"%mask{n} = arith.cmpi eq, %x1, %n{n} : {TENSOR}",
            f"%from{n} = tt.splat %in_ptr{n} : !tt.ptr<f32> -> {POINTERS}",
            f"%at{n} = tt.addptr %from{n}, %place : {POINTERS}, {TENSOR}",
            f"%value{n} = tt.load %at{n}, %mask{n}, %n{n} : {POINTERS}",
        ]
    return HEAD + "\n".join([*lines, "tt.return", "}", "}"])


@pytest.mark.parametrize("inputs", [2, 3, 4, 7])
def test_every_input_of_a_concatenation_counts(inputs: int) -> None:
    """Four of 103 MB in all were 103 MB of an H200's memory, and 37 by nine programs."""
    every = SAMPLES * CHANNELS * inputs
    found = traffic_of(parse_ttgir(concatenation(inputs)), (every // 1024, 1, 1), {})
    assert found is not None
    assert found.least_bytes == pytest.approx(4 * every, rel=0.15)
