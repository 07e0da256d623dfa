"""A kernel as a Python file that stands alone: it runs, checks itself against eager, times itself.

What it needs is torch with Triton, of versions like those that generated it.
"""

import ast
import importlib.resources
import re
from collections.abc import Iterator, Mapping
from typing import TextIO

from inspector.features.kernels.kernel_export import KernelExport
from inspector.report.escaping import one_line
from inspector.version import __version__

_HARNESS = "harness.txt"
# Of an index that is asserted to be below a number.
_BELOW = re.compile(r"device_assert\(.*?<\s*(\d+)\)")
_MOST_NODES = 12
_LOW = ("float16", "bfloat16", "float8_e4m3fn", "float8_e5m2")
_GRID_META = ("grid_type", "extra_launcher_args", "fixed_grid", "no_x_dim", "RSPLIT_SIZE",
              "min_split_scan_rblock", "combo_grid_meta", "tiling_scores")  # fmt: skip


def render(export: KernelExport, stream: TextIO) -> None:
    """Writes the file."""
    stream.writelines(
        "\n".join(part).strip("\n") + "\n\n\n"
        for part in (_head(export), _facts(export), _kernel(export), _reference(export))
    )
    folder = importlib.resources.files(__package__)
    stream.write(folder.joinpath(_HARNESS).read_text(encoding="utf-8"))


_IMPORTS = """
import os
import sys
import warnings

import torch
import torch._inductor.inductor_prims
import triton
import triton.language as tl
from torch._inductor.runtime import triton_helpers
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math

inf, nan = float('inf'), float('nan')
INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
DEVICE = "cpu" if INTERPRETED else "cuda"
"""


def _head(export: KernelExport) -> Iterator[str]:
    kernel = export.row.kernel
    versions = ", ".join(f"{name} {value}" for name, value in export.build.versions)
    yield f'"""{kernel.name}, exported by torch-inspector {__version__}.'
    yield ""
    yield "    python kernel.py                     # on a GPU: compares it with eager and times it"
    yield "    TRITON_INTERPRET=1 python kernel.py  # without one: in Triton's interpreter"
    yield ""
    yield f"Generated for {_text(export.gpu)} ({versions}), from {_text(export.recording)}."
    if kernel.aten:
        yield f"It computes {_text(', '.join(kernel.aten))}:"
    for node in kernel.lines[:_MOST_NODES]:
        yield f"    {_text(node.file)}:{node.line}  {_text(node.code)}"
    yield '"""'
    yield _IMPORTS.rstrip("\n")


def _text(text: str) -> str:
    return one_line(text).replace("\\", "\\\\").replace('"""', "'''")


def _facts(export: KernelExport) -> Iterator[str]:
    kernel = export.row.kernel
    meta = {name: kernel.inductor_meta[name] for name in _GRID_META if name in kernel.inductor_meta}
    bounds = [int(bound) for bound in _BELOW.findall(kernel.source)]
    yield f"NAME = {kernel.name!r}"
    yield "# Each parameter: a buffer, or a number."
    yield from _mapping("ARGUMENTS", {k: repr(v) for k, v in export.arguments.items()})
    yield f"NUMELS = {dict(export.numels)!r}"
    yield "# Each buffer: dtype, size and stride."
    buffers = {
        name: f"({item.dtype}, {item.size!r}, {item.stride!r})"
        for name, item in export.buffers.items()
    }
    yield from _mapping("BUFFERS", buffers)
    yield f"READ = {export.read!r}  # the others start as zeros"
    workspaces = {name: f"({dtype}, {size})" for name, (dtype, size) in export.workspaces.items()}
    yield from _mapping("WORKSPACES", workspaces)
    yield f"CONSTANTS = {dict(export.build.constants)!r}"
    yield f"INTEGERS_BELOW = {min(bounds, default=2)}  # what the kernel asserts of its indices"
    yield f"TRAFFIC_BYTES = {kernel.traffic_bytes!r}  # read and written, as Inductor estimates"
    yield "# The configurations that Inductor would try; add your own."
    yield "CONFIGS = ["
    for config in export.configs:
        warps, stages = config.num_warps, config.num_stages
        yield f"    {dict(config.values) | {'num_warps': warps, 'num_stages': stages}!r},"
    yield "]"
    yield f"INDUCTOR_META = {meta!r}"
    yield "# Graph nodes that `reference` takes and returns, and the buffers that hold them."
    yield from _mapping("TAKEN", {k: repr(v) for k, v in export.taken.items()})
    yield f"SHAPES = {dict(export.shapes)!r}  # size and stride of each node within its buffer"
    yield from _mapping("COMPARED", {k: repr(v) for k, v in export.compared.items()})
    yield f"PARTS = {dict(export.parts)!r}  # the buffer holds parts of these nodes"
    dtypes = (*export.reference.lines, *(item.dtype for item in export.buffers.values()))
    rounded = [name for name in _LOW if any(f"torch.{name}" in text for text in dtypes)]
    yield (
        f"ROUNDED = [{', '.join(f'torch.{name}' for name in rounded)}]  # dtypes to which eager "
        "rounds"
    )
    yield (
        f"GIVEN = {export.reference.given!r}  # random numbers drawn by the kernel, which "
        "`reference` takes"
    )
    yield from _mapping("NOT_COMPARED", {k: repr(v) for k, v in export.not_compared.items()})


def _mapping(name: str, items: Mapping[str, str]) -> Iterator[str]:
    if not items:
        yield f"{name} = {{}}"
        return
    yield f"{name} = {{"
    for key, value in items.items():
        yield f"    {key!r}: {value},"
    yield "}"


def _kernel(export: KernelExport) -> Iterator[str]:
    source = export.row.kernel.source
    dropped: list[ast.stmt | ast.expr] = []
    name = ""
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.FunctionDef):
            others = [d for d in statement.decorator_list if ast.unparse(d) != "triton.jit"]
            dropped += others
            name = statement.name if others else name or statement.name
        elif isinstance(statement, ast.Import | ast.ImportFrom) or (
            isinstance(statement, ast.Expr) and "set_driver" in ast.unparse(statement)
        ):
            dropped.append(statement)
    drop = {n for node in dropped for n in range(node.lineno, (node.end_lineno or 0) + 1)}
    yield from (line for n, line in enumerate(source.split("\n"), 1) if n not in drop)
    yield ""
    yield ""
    yield f"kernel = {name}"


def _reference(export: KernelExport) -> Iterator[str]:
    reference = export.reference
    yield f"def reference({', '.join(reference.inputs)}):"
    yield '    """Eager PyTorch: the lines of the graph that Inductor fused."""'
    for line in reference.lines:
        yield f"    {line}"
    outputs = ", ".join(f"{name!r}: {name}" for name in reference.outputs)
    yield f"    return {{{outputs}}}"
