"""The process that measures the machine: a request in, lines of JSON out as they are found.

In the program that is profiled torch's settings, its allocator, its threads and its profilers are
the program's; here nothing was set, and nothing else runs.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable
from typing import Any, TextIO

_LONGEST = 160


def main() -> int:
    """Reads the request from standard input, and writes results to standard output.

    The request is an object: ``device`` (``cuda`` or ``cpu``), and ``index`` and ``uuid`` of a GPU,
    ``threads`` of a CPU; and ``path``, the folder that torch is in.
    Each line out has either ``name`` with ``value``, ``spread`` and ``stable``; or ``name`` with
    ``missing``, why, and ``lasting``, whether another try gives the same; or ``failed``, why
    nothing can be measured; or, last, ``facts``, ``state``, ``state_missing`` and ``took_ns``.
    Whatever else is printed here goes to standard error.
    """
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    request = json.load(sys.stdin)
    if request.get("path") not in {None, *sys.path}:
        sys.path.append(request["path"])
    try:
        _measure(request, out)
    except Exception as error:  # noqa: BLE001 - the reader says what it was
        _say(out, {"failed": _reason(error)})
    out.close()
    return 0


def _measure(request: dict[str, Any], out: TextIO) -> None:
    began_ns = time.monotonic_ns()
    if request["device"] == "cuda":
        from inspector.capture.profiling.machine.gpu import Gpu, visible_gpu

        gpu = Gpu(visible_gpu(int(request["index"]), str(request["uuid"])))
        _say_all(gpu.measurements(), out, gpu.clean)
        last = {"facts": gpu.facts, "state": gpu.state, "state_missing": gpu.state_missing}
    else:
        from inspector.capture.profiling.machine.cpu import Cpu

        cpu = Cpu(int(request["threads"]))
        _say_all(cpu.measurements(), out, lambda: None)
        last = {"facts": cpu.facts, "state": {}, "state_missing": ""}
    _say(out, {**last, "took_ns": time.monotonic_ns() - began_ns})


def _say_all(measurements: Iterable[Any], out: TextIO, clean: Any) -> None:
    from inspector.capture.profiling.machine.timing import Unsupported

    for names, measure in measurements:
        left = list(names)
        reason, is_lasting = "it was not measured", False
        try:
            for name, found in measure():
                if not found.value > 0:
                    raise RuntimeError("it is below the resolution of the clock")  # noqa: TRY301
                left.remove(name)
                fields = {"value": found.value, "spread": found.spread, "stable": found.is_stable}
                _say(out, {"name": name, **fields})
        except Exception as error:  # noqa: BLE001 - what this device, or this torch, does not have
            reason = _reason(error)
            is_lasting = isinstance(error, Unsupported | NotImplementedError | AttributeError)
        for name in left:
            _say(out, {"name": name, "missing": reason, "lasting": is_lasting})
        clean()


def _reason(error: Exception) -> str:
    text = str(error).strip().partition("\n")[0].strip().rstrip(".")
    if type(error).__name__ == "OutOfMemoryError":
        return "out of memory"
    return (text or type(error).__name__)[:_LONGEST]


def _say(out: TextIO, line: dict[str, Any]) -> None:
    out.write(json.dumps(line) + "\n")
    out.flush()
