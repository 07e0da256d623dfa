"""Starts the process that compiles kernels, and reads what it says."""

import json
import os
import site
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from inspector.errors import EnvironmentLacksError
from inspector.records.codec import decode
from inspector.shared.kernel_build import KernelBuild

_MAIN = Path(__file__).resolve().parents[3] / "capture" / "__main__.py"
_LAST_LINES = 20
_KEPT = frozenset({
    "CUDA_HOME", "CUDA_PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "PYTHONPATH", "TMPDIR",
})  # fmt: skip
"""What the process needs to find torch, Triton and their tools, besides `TRITON_*`."""


def compile_kernels(  # noqa: PLR0913 - what a request has
    kernels: Iterable[tuple[str, str]],
    *,
    python: str = sys.executable,
    folder: Path | None = None,
    workers: int | None = None,
    time_limit_s: float = 120.0,
    on_progress: Callable[[int, int, str], None] | None = None,
) -> Iterator[KernelBuild]:
    """Compiles kernels, by name and source, for the GPU that their sources name.

    Yields:
        One result for each distinct source as it is done: first those that were compiled before.

    Raises:
        EnvironmentLacksError: The process ended before it was done.
    """
    request = {
        "kernels": [{"name": name, "source": source} for name, source in kernels],
        "folder": str(folder or default_folder()),
        "workers": workers,
        "time_limit_s": time_limit_s,
    }
    if not request["kernels"]:
        return
    # Without what is the user's alone: sources can come from anywhere.
    environment = {
        name: value
        for name, value in os.environ.items()
        if name in _KEPT or name.startswith("TRITON_")
    }
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as said,
        tempfile.TemporaryDirectory(prefix="inspector_home_") as home,
    ):
        process = subprocess.Popen(
            [python, str(_MAIN), "compile-kernels"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            # The first is where `pip install --user` installs.
            env={"PYTHONUSERBASE": site.getuserbase(), **environment, "HOME": home},
        )
        try:
            yield from _lines(process, json.dumps(request), on_progress)
        finally:
            process.kill()
            code = process.wait()
        if code:
            said.seek(0)
            lines = [line for line in said.read().splitlines() if line.strip()]
            raise EnvironmentLacksError(
                f"{python} could not compile kernels: {lines[-1] if lines else 'no reason given'}",
                "Install torch and Triton there (pip install torch triton), or choose another "
                "interpreter with --python.",
                detail="\n".join(lines[-_LAST_LINES:]),
            )


def default_folder() -> Path:
    """The user's cache folder (XDG Base Directory Specification)."""
    base = os.environ.get("XDG_CACHE_HOME") or ""
    root = Path(base) if Path(base).is_absolute() else Path.home() / ".cache"
    return root / "torch-inspector" / "kernels"


def _lines(
    process: subprocess.Popen[str],
    request: str,
    on_progress: Callable[[int, int, str], None] | None,
) -> Iterator[KernelBuild]:
    if process.stdin is None or process.stdout is None:
        return
    with process.stdout as lines:
        try:
            with process.stdin as requests:
                requests.write(request)
        except BrokenPipeError:
            return
        for line in lines:
            said = json.loads(line)
            if "build" in said:
                yield decode(KernelBuild, said["build"])
            elif on_progress is not None:
                progress = said["progress"]
                on_progress(progress["done"], progress["of"], progress["name"])
    process.wait()
