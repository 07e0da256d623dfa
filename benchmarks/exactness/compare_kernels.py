"""Compares kernels generated without a GPU with those that a GPU generated.

    python -m benchmarks.exactness.compare_kernels [case …] [--recorded FILE]

prints how many kernels of each case and pass are identical. A kernel is identical if its source is,
byte for byte except ``backend_hash``, which is made of paths and of the driver. Where the GPU
measures, what it may choose is among the candidates. ``record_kernels`` makes the recorded
file; torch, Triton and transformers have to be those that made it.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import logging
import lzma
import multiprocessing
import re
import sys
import tempfile
import traceback
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

from inspector.features.kernels.output_code import read_output_code

RECORDED = Path(__file__).parent / "recorded_kernels" / "h200_torch_2_11.json.xz"
GPU = "h200"
LIMIT_SECONDS = 600
_HASH = re.compile(r"'backend_hash': '[0-9A-F]+'")


@dataclasses.dataclass(frozen=True, slots=True)
class Comparison:
    """One pass of one case.

    Attributes:
        name: The case and the pass.
        recorded: Kernels that the GPU generated.
        identical: Of these, how many are the same without it.
        candidates: Of these, how many are in code that the GPU may choose.
        generated: Kernels that were generated without the GPU, candidates left out.
        error: What failed, or an empty string.
    """

    name: str
    recorded: int
    identical: int
    candidates: int
    generated: int
    error: str = ""

    @property
    def is_same(self) -> bool:
        """Whether nothing differs."""
        extra = self.generated - (self.identical - self.candidates)
        return self.identical == self.recorded and (not extra or self.candidates > 0)


def load(path: Path = RECORDED) -> dict[str, Any]:
    """What was recorded."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


def sources(codes: Iterable[str]) -> set[str]:
    """The sources of the Triton kernels in output code, without ``backend_hash``."""
    graphs = [read_output_code(code, "", {}) for code in codes]
    return {
        _HASH.sub("", kernel.source)
        for graph in graphs
        for kernel in graph.kernels
        if kernel.language == "triton"
    }


def compare(name: str, pass_: str, recorded: Mapping[str, Any], seconds: float) -> Comparison:
    """Generates the code of a case in a process of its own, and compares it."""
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary) / "found.json"
        process = multiprocessing.get_context("spawn").Process(
            target=_generate, args=(name, pass_, place)
        )
        process.start()
        process.join(seconds)
        if process.is_alive():
            process.kill()
            process.join()
        found = json.loads(place.read_text()) if place.exists() else {}
    wanted = sources(code["code"] for code in recorded["codes"])
    made = sources(found.get("codes", ()))
    others = sources(found.get("alternatives", ())) - made
    candidates = len(wanted & others)
    error = found.get("error", "" if found else "it did not come to an end")
    return Comparison(
        f"{name} {pass_}", len(wanted), len(wanted & made) + candidates, candidates, len(made),
        error,
    )  # fmt: skip


def _generate(name: str, pass_: str, place: Path) -> None:
    """Runs in the process of a case."""
    import torch

    from benchmarks.exactness.kernel_cases.case import run
    from benchmarks.exactness.kernel_cases.catalogue import catalogue
    from inspector.capture.gpu_target import session
    from inspector.records.gpu_target import GpuTarget
    from inspector.shared.gpu_table import known_gpu

    codes: list[str] = []
    said: list[GpuTarget] = []
    trace = logging.getLogger("torch.__trace")
    trace.addHandler(logging.NullHandler())

    def take(record: logging.LogRecord) -> None:
        if "inductor_output_code" in getattr(record, "metadata", {}):
            codes.append(record.payload)  # type: ignore[attr-defined] # torch's own attribute
            write()

    def write() -> None:
        errors = [item.error for item in said if item.error]
        others = [other.code for item in said for other in item.alternatives]
        found = {"codes": codes, "alternatives": others, "error": "; ".join(errors)}
        place.write_text(json.dumps(found))

    trace.handle = take  # type: ignore[method-assign]
    try:
        with mock.patch.object(session, "emit", said.append), session.gpu_target(known_gpu(GPU)):
            torch.manual_seed(0)
            run(catalogue()[name]("cpu"), pass_)
    except Exception:  # noqa: BLE001 - it is reported
        said.append(GpuTarget(GPU, error=traceback.format_exc(limit=-3)))
    write()


def names_of(recorded: Mapping[str, Any], wanted: Iterable[str]) -> list[tuple[str, str]]:
    """Cases and passes that were recorded whole."""
    starts = tuple(wanted)
    return [
        (name, pass_)
        for name, passes in recorded["cases"].items()
        if not starts or name.startswith(starts)
        for pass_ in ("inference", "training")
        if isinstance(passes.get(pass_), dict) and not passes[pass_]["error"]
    ]


def main() -> int:
    """Prints the table; 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="cases; the beginning of a name is enough")
    parser.add_argument("--recorded", type=Path, default=RECORDED)
    options = parser.parse_args()
    recorded = load(options.recorded)
    found: list[Comparison] = []
    for name, pass_ in names_of(recorded, options.names):
        one = compare(name, pass_, recorded["cases"][name][pass_], LIMIT_SECONDS)
        found.append(one)
        mark = "" if one.is_same else "  DIFFERS"
        counts = f"{one.identical:>3} of {one.recorded:>3}"
        candidates = f" ({one.candidates} candidates)" if one.candidates else ""
        print(f"{one.name:<48}{counts}{candidates}{mark}  {one.error[-300:]}", flush=True)
    kernels = sum(one.recorded for one in found)
    identical = sum(one.identical for one in found)
    same = sum(one.is_same for one in found)
    print(f"{identical} of {kernels} kernels, {same} of {len(found)} cases and passes identical")
    return 0 if same == len(found) else 1


if __name__ == "__main__":
    sys.exit(main())
