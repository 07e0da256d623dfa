"""Records the kernels that Inductor generates on a GPU, for the comparison with those made without.

    python -m tests.gpu.record_kernels --output kernels.json.xz --jobs 12

writes one compressed JSON file: versions, the GPU's properties, and for each case and pass the
output code of every graph as torch's structured trace has it, and for each kernel the registers,
spills and shared memory that its ``CachingAutotuner`` reports. ``--graphs FILE`` keeps the FX
graphs of every stage as well; ``--time`` measures the kernels of some cases afterwards, one by one.
Each case runs in a process of its own with empty caches.
"""

from __future__ import annotations

import argparse
import json
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

TIMED = (
    "sample.resnet50", "sample.bert_base", "sample.small_cnn", "pointwise.large",
    "pointwise.gelu_chain", "reductions.softmax_long", "reductions.sum_all",
    "reductions.sum_outer", "norms.layer_norm_bf16", "norms.llama_rms_norm",
    "norms.group_norm_large", "attention.flex_block_causal",
)  # fmt: skip


def main() -> None:
    """Records the cases named on the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="cases; the beginning of a name is enough")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--graphs", type=Path, help="another file, for the FX graphs")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--limit", type=float, default=90, help="seconds for one case")
    parser.add_argument("--total", type=float, default=170, help="seconds for all of them")
    parser.add_argument("--without", type=Path, help="a file: what it has is not recorded again")
    parser.add_argument("--time", action="store_true", help="measure some cases' kernels, alone")
    options = parser.parse_args()
    # Asking whether there is a GPU must not start CUDA here: forked processes could not use it.
    os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"
    os.environ["OMP_NUM_THREADS"] = "1"
    begin = time.monotonic()
    options.start = _start_method(options.device)
    from tests.gpu.kernel_cases.catalogue import catalogue

    recorded = _recorded(options.without)
    chosen = [
        name
        for name in catalogue()
        if name not in recorded
        and (not options.names or any(name.startswith(start) for start in options.names))
    ]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        _run_all(chosen, options, folder, begin)
        _write(options, chosen, folder)
        if options.time:
            timed = [name for name in TIMED if name in chosen]
            processes = [_start(name, options, folder, timed=True) for name in timed]
            for process in processes:
                _wait(process, max(1, begin + options.total + 60 - time.monotonic()))
            _write(options, chosen, folder)
    print(f"{time.monotonic() - begin:.0f} s, {options.output.stat().st_size / 2**20:.1f} MiB")


def _recorded(path: Path | None) -> set[str]:
    """The cases that a file has."""
    if path is None:
        return set()
    with lzma.open(path, "rt", encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    return {name for name, found in cases.items() if "error" not in found}


def _start_method(device: str) -> str:
    """Forks where CUDA allows it: torch and transformers are then imported once for all."""
    _preload()
    probe = multiprocessing.get_context("fork").Process(target=_probe, args=(device,))
    probe.start()
    probe.join()
    return "spawn" if probe.exitcode else "fork"


def _probe(device: str) -> None:
    import torch

    torch.zeros(1, device=device)


def _preload() -> None:
    """Imports what every case needs, once, before the processes are forked."""
    import transformers.modeling_utils  # noqa: F401


def _run_all(names: list[str], options: argparse.Namespace, folder: Path, begin: float) -> None:
    waiting = list(names)
    running: dict[str, tuple[BaseProcess, float]] = {}
    while waiting or running:
        now = time.monotonic()
        late = now - begin > options.total
        while waiting and not late and len(running) < options.jobs:
            name = waiting.pop(0)
            running[name] = (_start(name, options, folder, timed=False), now)
        if late:
            waiting = []
        for name, (process, started) in list(running.items()):
            if not process.is_alive() or late or now - started > options.limit:
                _wait(process, 0)
                del running[name]
                print(f"{now - begin:6.1f} s  {name}  {now - started:.1f} s", flush=True)
        time.sleep(0.05)


def _start(name: str, options: argparse.Namespace, folder: Path, *, timed: bool) -> BaseProcess:
    process: BaseProcess = multiprocessing.get_context(options.start).Process(
        target=_case, args=(name, options.device, folder, timed)
    )
    process.start()
    return process


def _wait(process: BaseProcess, seconds: float) -> None:
    process.join(seconds)
    if process.is_alive():
        process.kill()
        process.join()


def _case(name: str, device: str, folder: Path, timed: bool) -> None:  # noqa: FBT001
    """Runs in the process of a case; writes what it found after each pass."""
    file = os.open(folder / f"{name}.output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(file, 1)
    os.dup2(file, 2)
    from tests.gpu.kernel_cases.catalogue import catalogue
    from tests.gpu.kernel_cases.recorded import record_pass

    result: dict[str, Any] = {}
    passes = ["inference", "training"]
    for pass_ in passes:
        import torch

        torch.manual_seed(0)
        try:
            case = catalogue()[name](device)
        except Exception:  # noqa: BLE001 - the file says what went wrong
            result[pass_] = {"error": traceback.format_exc()}
            break
        if pass_ in case.passes:
            result[pass_] = record_pass(case, pass_, lock=folder / "lock" if timed else None)
            suffix = "timed" if timed else "json"
            (folder / f"{name}.{suffix}").write_text(json.dumps(result))
    suffix = "timed" if timed else "json"
    (folder / f"{name}.{suffix}").write_text(json.dumps(result))


def _write(options: argparse.Namespace, names: list[str], folder: Path) -> None:
    cases: dict[str, Any] = {}
    graphs: dict[str, Any] = {}
    for name in names:
        path = folder / f"{name}.json"
        if not path.exists():
            output = folder / f"{name}.output"
            cases[name] = {"error": output.read_text()[-2000:] if output.exists() else "not begun"}
            continue
        cases[name] = json.loads(path.read_text())
        graphs[name] = {key: value.pop("graphs", []) for key, value in cases[name].items()}
        timed = folder / f"{name}.timed"
        if timed.exists():
            for key, value in json.loads(timed.read_text()).items():
                cases[name][key]["times"] = value.get("times", {})
    _dump(options.output, {**_versions(options.device, folder), "cases": cases})
    if options.graphs:
        _dump(options.graphs, graphs)


def _dump(path: Path, value: dict[str, Any]) -> None:
    with lzma.open(path, "wt", preset=6, encoding="utf-8") as file:
        json.dump(value, file, sort_keys=True)


def _versions(device: str, folder: Path) -> dict[str, Any]:
    """Written by a process of its own: this one must not start CUDA."""
    path = folder / "versions.json"
    if not path.exists():
        context = multiprocessing.get_context("spawn")
        process = context.Process(target=_write_versions, args=(device, path))
        process.start()
        _wait(process, 60)
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found


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
