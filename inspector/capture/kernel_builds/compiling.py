"""Compiles configurations of one kernel, as `CachingAutotuner` does on the GPU's machine."""

from __future__ import annotations

import contextlib
import dataclasses
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import triton
from torch._inductor.runtime import triton_heuristics

from inspector.capture.kernel_builds.autotuner import grid_of, load_autotuner
from inspector.capture.kernel_builds.tools import forget_driver, resources_of, right_lines, sass_of
from inspector.shared.kernel_build import ConfigBuild, KernelBuild

SOURCE_NAME = "kernel.py"
"""What the file of the source is called in every text, wherever it was compiled."""

_KINDS = ("ttir", "ttgir", "llir", "ptx", "cubin")
_LONGEST_ERROR = 2000


@dataclasses.dataclass(frozen=True, slots=True)
class Source:
    """A kernel to compile: what ``async_compile.triton`` gets."""

    name: str
    source: str


def compile_part(
    kernel: Source, capability: int, number: int, texts: Path, folder: Path
) -> tuple[KernelBuild, int]:
    """Compiles one configuration of a kernel, and what follows from it; for a process of its own.

    The texts are kept; the other folder is empty, for what is only needed meanwhile.

    Returns:
        The kernel with that configuration and the one that `CachingAutotuner` adds because of it,
        if any; and how many configurations there are without that.
    """
    forget_driver(capability, folder)
    autotuner = load_autotuner(kernel.source, kernel.name, folder / SOURCE_NAME)
    configs = list(autotuner.configs)
    builder = _Builder(autotuner, capability, texts, str(folder / SOURCE_NAME))
    meta = autotuner.triton_meta
    signature = dict(meta.get("signature") or {})
    build = KernelBuild(
        name=kernel.name,
        key="",
        heuristic=str(getattr(autotuner.heuristic_type, "name", "")).lower(),
        capability=capability,
        arguments=tuple((str(key), str(value)) for key, value in signature.items()),
        constants=_plain(meta.get("constants") or {}),
        configs=(builder.build(configs[number], str(number)), *builder.scaled(str(number))),
    )
    return build, len(configs)


def _plain(values: dict[Any, Any]) -> tuple[tuple[str, int | str | bool | None], ...]:
    return tuple(
        (str(key), value if isinstance(value, (int, str, bool, type(None))) else str(value))
        for key, value in values.items()
    )


class _Builder:
    """One autotuner whose configurations are compiled; texts are named by a prefix."""

    def __init__(self, autotuner: Any, capability: int, texts: Path, path: str) -> None:
        self._autotuner = autotuner
        self._capability = capability
        self._texts = texts
        self._path = path
        self._result: Any = None

    def build(self, config: Any, prefix: str, *, scaled: bool = False) -> ConfigBuild:
        described = ConfigBuild(
            values=_plain(config.kwargs),
            num_warps=int(config.num_warps),
            num_stages=int(config.num_stages),
            num_ctas=int(getattr(config, "num_ctas", 1) or 1),
            scaled=scaled,
            **grid_of(self._autotuner, config),
        )
        try:
            with _watched() as (kernels, log):
                self._result = self._autotuner._precompile_config(config)  # noqa: SLF001
            made = self._read(kernels[-1], log.getvalue(), prefix)
        except Exception as error:  # noqa: BLE001 - whatever the compiler says is the result
            self._result = None
            # Triton's own errors have the place, and the reason is their cause.
            cause: BaseException = error
            while cause.__cause__ is not None:
                cause = cause.__cause__
            reason = f"{type(cause).__name__}: {cause}\n" if cause is not error else ""
            text = f"{reason}{type(error).__name__}: {str(error).strip()}"
            made = {"error": text[:_LONGEST_ERROR]}
        return dataclasses.replace(described, **made)

    def _read(self, kernel: Any, log: str, prefix: str) -> dict[str, Any]:
        """Keeps the texts of what was compiled, and reads what it needs."""
        metadata = kernel.metadata._asdict()
        files = {}
        for kind in _KINDS:
            text = kernel.asm.get(kind)
            if text is not None:
                files[kind] = self._keep(f"{prefix}.{kind}", text)
        cubin = self._texts / files["cubin"]
        files["sass"] = self._keep(f"{prefix}.sass", sass_of(cubin))
        resources = resources_of(cubin, log, metadata, self._capability)
        # Where the driver puts the figure after loading (driver.c, loadBinary).
        self._result.kernel.n_regs = resources.registers
        return {
            "launched_warps": int(metadata.get("num_warps") or 0),
            "resources": resources,
            "texts": tuple(files.items()),
        }

    def _keep(self, file: str, text: str | bytes) -> str:
        if isinstance(text, str):
            text = text.replace(self._path, SOURCE_NAME).encode()
        (self._texts / file).write_bytes(text)
        return file

    def scaled(self, prefix: str) -> list[ConfigBuild]:
        """The configuration with a smaller block that the registers of the last one ask for.

        `CachingAutotuner._dynamic_scale_rblock` decides, with the device in the source.
        """
        if self._result is None:
            return []
        autotuner = self._autotuner
        wanted: list[Any] = []

        def note(config: Any) -> Any:
            wanted.append(config)
            return self._result

        autotuner.compile_results = [self._result]
        autotuner._make_launchers = lambda: None  # noqa: SLF001 - would load it
        with mock.patch.object(autotuner, "_precompile_config", note):
            autotuner._dynamic_scale_rblock()  # noqa: SLF001
        return [self.build(config, f"scaled{prefix}", scaled=True) for config in wanted[:1]]


@contextlib.contextmanager
def _watched() -> Iterator[tuple[list[Any], io.StringIO]]:
    """The kernels that Triton compiles for Inductor, which keeps little of them; ptxas' log."""
    kernels: list[Any] = []
    compile_kernel, knobs = triton.compile, triton.knobs.nvidia

    def watched(*args: Any, **kwargs: Any) -> Any:
        kernels.append(compile_kernel(*args, **kwargs))
        return kernels[-1]

    with (
        mock.patch.object(triton_heuristics.triton, "compile", watched),
        knobs.scope(),
        right_lines(),
        contextlib.redirect_stdout(io.StringIO()) as log,
    ):
        knobs.dump_ptxas_log = True
        yield kernels, log
