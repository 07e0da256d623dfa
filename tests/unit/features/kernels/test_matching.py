"""Kernels of one run are found again in another, with kernels that an H200 generated."""

from __future__ import annotations

import dataclasses

import pytest

from benchmarks.exactness.compare_kernels import load
from inspector.features.kernels.matching import content, matched
from inspector.features.kernels.output_code import read_output_code
from inspector.run.kernel import Kernel, NodeLine
from inspector.run.kernel_diff import DiffKernel


@pytest.fixture(scope="module")
def kernels() -> list[DiffKernel]:
    codes = load()["cases"]["norms.group_norm"]["training"]["codes"]
    codes = codes + load()["cases"]["pointwise.gelu_chain"]["training"]["codes"]
    found: dict[str, Kernel] = {}
    for code in codes:
        for kernel in read_output_code(code["code"], "0/0", {}).kernels:
            found.setdefault(content(kernel), kernel)
    assert len(found) >= 4
    return [DiffKernel(kernel, 1) for kernel in found.values()]


def renamed(item: DiffKernel, name: str) -> DiffKernel:
    kernel = item.kernel
    source = kernel.source.replace(kernel.name, name).replace(
        "backend_hash': '", "backend_hash': '0"
    )
    return dataclasses.replace(item, kernel=dataclasses.replace(kernel, name=name, source=source))


def test_names_hashes_and_order_are_no_difference(kernels: list[DiffKernel]) -> None:
    others = [renamed(item, f"triton_{at}") for at, item in enumerate(kernels)][::-1]
    changes = list(matched(kernels, others))
    assert [change.kind for change in changes] == ["same"] * len(kernels)
    assert {change.matched_by for change in changes} == {"content"}


def test_one_with_another_source_is_found_by_what_it_computes(kernels: list[DiffKernel]) -> None:
    old = kernels[0].kernel
    line = NodeLine("gelu", "model.py", 7, "y = gelu(x)")
    before = dataclasses.replace(old, nodes=(line,))
    after = dataclasses.replace(
        before,
        source=old.source + "\n    # more\n",
        size_hints={name: size * 2 for name, size in old.size_hints.items()},
        nodes=(dataclasses.replace(line, line=9),),  # moved down in the file
    )
    (change,) = matched([DiffKernel(before, 2)], [DiffKernel(after, 1)])
    assert (change.kind, change.matched_by) == ("changed", "nodes")
    assert "launches 2 → 1" in change.differences
    assert any("→" in text and text.startswith("x ") for text in change.differences)
    assert (change.added, change.removed) == (2, 0)
