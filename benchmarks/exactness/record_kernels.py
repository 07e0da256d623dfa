"""Records the kernels that Inductor generates on a GPU, for the comparison with those made without.

    python -m benchmarks.exactness.record_kernels --output kernels.json.xz --jobs 12

writes one compressed JSON file: versions, the GPU's properties, and for each case and pass the
output code of every graph as torch's structured trace has it. Each case runs in a process of its
own with empty caches.
"""

from __future__ import annotations

import argparse
import json
import logging
import lzma
import multiprocessing
import os
import sys
import tempfile
import time
import traceback
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any


def main() -> None:
    """Records the cases named on the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="cases; the beginning of a name is enough")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--limit", type=float, default=90, help="seconds for one case")
    parser.add_argument("--total", type=float, default=170, help="seconds for all of them")
    options = parser.parse_args()
    # Asking whether there is a GPU must not start CUDA here: forked processes could not use it.
    os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"
    os.environ["OMP_NUM_THREADS"] = "1"
    options.start = _start_method(options.device)
    from benchmarks.exactness.kernel_cases.catalogue import catalogue

    starts = tuple(options.names)
    chosen = [name for name in catalogue() if not starts or name.startswith(starts)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        _run_all(chosen, options, folder)
        _write(options, chosen, folder)


def _start_method(device: str) -> str:
    """Forks where CUDA allows it: torch and transformers are then imported once for all."""
    import transformers.modeling_utils  # noqa: F401 - what every case needs

    probe = multiprocessing.get_context("fork").Process(target=_probe, args=(device,))
    probe.start()
    probe.join()
    return "spawn" if probe.exitcode else "fork"


def _probe(device: str) -> None:
    import torch

    torch.zeros(1, device=device)


def _run_all(names: list[str], options: argparse.Namespace, folder: Path) -> None:
    begin = time.monotonic()
    waiting = list(names)
    running: dict[str, tuple[BaseProcess, float]] = {}
    while waiting or running:
        now = time.monotonic()
        late = now - begin > options.total
        while waiting and not late and len(running) < options.jobs:
            name = waiting.pop(0)
            process: BaseProcess = multiprocessing.get_context(options.start).Process(
                target=_case, args=(name, options.device, folder)
            )
            process.start()
            running[name] = process, now
        if late:
            waiting = []
        for name, (process, started) in list(running.items()):
            if not process.is_alive() or late or now - started > options.limit:
                process.kill()
                process.join()
                del running[name]
                print(f"{now - begin:6.1f} s  {name}  {now - started:.1f} s", flush=True)
        time.sleep(0.05)


def _case(name: str, device: str, folder: Path) -> None:
    """Runs in the process of a case; writes what it found after each pass."""
    file = os.open(folder / f"{name}.output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(file, 1)
    os.dup2(file, 2)
    import torch

    from benchmarks.exactness.kernel_cases.case import BOTH
    from benchmarks.exactness.kernel_cases.catalogue import catalogue

    result: dict[str, Any] = {}
    for pass_ in BOTH:
        torch.manual_seed(0)
        try:
            case = catalogue()[name](device)
        except Exception:  # noqa: BLE001 - the file says what went wrong
            result[pass_] = {"error": traceback.format_exc()}
            break
        if pass_ in case.passes:
            result[pass_] = record_pass(case, pass_)
            (folder / f"{name}.json").write_text(json.dumps(result))
    (folder / f"{name}.json").write_text(json.dumps(result))


def record_pass(case: Any, pass_: str) -> dict[str, Any]:
    """What a pass generated; with ``error`` where it did not get to its end."""
    import torch
    from torch._inductor import config
    from torch._inductor.utils import fresh_cache

    from benchmarks.exactness.kernel_cases.case import run

    codes: list[dict[str, Any]] = []

    def take(record: logging.LogRecord) -> None:
        metadata = getattr(record, "metadata", {})
        if "inductor_output_code" in metadata:
            identity = [metadata.get("frame_id"), metadata.get("frame_compile_id")]
            codes.append({"compile_id": identity, "code": getattr(record, "payload", None)})

    torch._dynamo.reset()
    handler = logging.Handler()
    handler.emit = take  # type: ignore[method-assign]
    logger = logging.getLogger("torch.__trace")
    logger.addHandler(handler)
    error = None
    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            # One process: a worker would have to import torch first.
            config.patch(compile_threads=1),
            fresh_cache(dir=folder),
        ):
            run(case, pass_)
    except Exception:  # noqa: BLE001 - the file says what went wrong
        error = traceback.format_exc()[-3000:]
    finally:
        logger.removeHandler(handler)
    return {"error": error, "codes": codes}


def _write(options: argparse.Namespace, names: list[str], folder: Path) -> None:
    cases: dict[str, Any] = {}
    for name in names:
        path, output = folder / f"{name}.json", folder / f"{name}.output"
        if path.exists():
            cases[name] = json.loads(path.read_text())
        else:
            cases[name] = {"error": output.read_text()[-2000:] if output.exists() else "not begun"}
    # A process of its own: this one must not start CUDA.
    place = folder / "versions.json"
    process = multiprocessing.get_context("spawn").Process(
        target=_write_versions, args=(options.device, place)
    )
    process.start()
    process.join(60)
    versions = json.loads(place.read_text()) if place.exists() else {}
    with lzma.open(options.output, "wt", preset=6, encoding="utf-8") as file:
        json.dump({**versions, "cases": cases}, file, sort_keys=True)


def _write_versions(device: str, path: Path) -> None:
    import torch
    import transformers
    import triton

    properties: dict[str, Any] = {}
    if device == "cuda":
        given = torch.cuda.get_device_properties(0)
        properties = {name: getattr(given, name) for name in dir(given) if name[0] != "_"}
        properties = {k: v for k, v in properties.items() if isinstance(v, int | str | float)}
    found = {"format": 1, "torch": torch.__version__, "triton": triton.__version__,
             "transformers": transformers.__version__, "python": sys.version.split()[0],
             "cuda": torch.version.cuda, "cudnn": torch.backends.cudnn.version(),
             "properties": properties}  # fmt: skip
    path.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
