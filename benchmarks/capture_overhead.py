"""What recording adds to a compilation: whole processes, in turns, beside the other tools.

    python benchmarks/capture_overhead.py [--models small_cnn …] [--backends eager inductor]
                                          [--rounds 15] [--output reports/capture_overhead.md]

Every round starts one process of each way (the first five, of the other tools too), in random
order, each with empty caches of its own
(FX graph, AOTAutograd, C++, Triton, autotuning and profile-guided shapes all lie in one folder that
is made for the process). The plain one imports the model's file, compiles, and calls it twice, as
`inspect explain --no-measure` does. Times are those of whole processes, from start to exit, with
everything that they start; a ratio is that of the two medians, with the interval in which 95 of 100
ratios of resampled rounds lie. The peers do what their own documentation says.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MODELS = {
    "small_cnn": ROOT / "samples" / "small_cnn" / "model.py",
    "bert_base": ROOT / "samples" / "bert_base" / "model.py",
    "gpt2_24_layers": ROOT / "benchmarks" / "capture_models" / "gpt2_24_layers.py",
}
# Allowed of `inspect explain --no-measure` over plain torch.compile: a share, and seconds that a
# short process may take more.
ALLOWED = {"eager": (1.10, 0.4), "inductor": (1.05, 0.0)}
_MACHINE = "machine"
OVERHEAD = re.compile(rb'"structured_logging_overhead_us": (\d+)')
# What the ways have in common: the model, and two calls, after which all that is compiled was.
CHILD = """
import runpy, sys
way, file, backend, out = sys.argv[1:]
found = runpy.run_path(file)
import torch
model = found.get("model") or found["get_model"]()
inputs = found.get("example_inputs") or found["get_inputs"]()
args, kwargs = ((), inputs) if isinstance(inputs, dict) else (inputs, {})
def calls():
    compiled = torch.compile(model, backend=backend)
    for _ in range(2):
        compiled(*args, **kwargs)
if way == "plain":
    calls()
elif way == "dynamo_explain":
    print(torch._dynamo.explain(model)(*args, **kwargs))
elif way == "depyf":
    import depyf
    with depyf.prepare_debug(out):
        calls()
"""


@dataclasses.dataclass(frozen=True, slots=True)
class Taken:
    """One process.

    Attributes:
        wall_s: From its start to its end.
        cpu_s: Processor time of it and of what it started and waited for.
        logging_s: What torch says that its structured trace took.
    """

    wall_s: float
    cpu_s: float
    logging_s: float | None = None


Way = Callable[[Path, str, Path], Taken]


def plain(file: Path, backend: str, folder: Path) -> Taken:
    """`torch.compile` and nothing else."""
    return _timed([*_child("plain"), str(file), backend, "-"], folder)


def ours(file: Path, backend: str, folder: Path) -> Taken:
    """`inspect explain --no-measure`, with the report written as text."""
    command = [
        sys.executable, str(ROOT / "cli.py"), "explain", str(file), "--no-measure", "--no-progress",
        "--backend", backend, "--save", str(folder / "recording"), "-o", str(folder / "report.txt"),
    ]  # fmt: skip
    taken = _timed(command, folder)
    logs = b"".join(path.read_bytes() for path in (folder / "recording").glob("*.log"))
    assert logs, "nothing was recorded"
    overhead_us = [int(found) for found in OVERHEAD.findall(logs)]
    return dataclasses.replace(taken, logging_s=sum(overhead_us) / 1e6)


def dynamo_explain(file: Path, backend: str, folder: Path) -> Taken:
    """`torch._dynamo.explain`, which has a backend of its own."""
    return _timed([*_child("dynamo_explain"), str(file), backend, "-"], folder)


def depyf(file: Path, backend: str, folder: Path) -> Taken:
    """`depyf.prepare_debug`, which writes the decompiled source of everything."""
    return _timed([*_child("depyf"), str(file), backend, str(folder / "depyf")], folder)


def tlparse(file: Path, backend: str, folder: Path) -> Taken:
    """`TORCH_TRACE`, and tlparse on the log."""
    trace = folder / "trace"
    first = _timed([*_child("plain"), str(file), backend, "-"], folder, TORCH_TRACE=str(trace))
    (log,) = trace.glob("*.log")
    parse = ["tlparse", str(log), "-o", str(folder / "tlparse"), "--no-browser", "--overwrite"]
    second = _timed(parse, folder)
    return Taken(first.wall_s + second.wall_s, first.cpu_s + second.cpu_s)


WAYS: dict[str, Way] = {
    "plain torch.compile": plain,
    "inspect explain --no-measure": ours,
    "torch._dynamo.explain": dynamo_explain,
    "depyf": depyf,
    "TORCH_TRACE + tlparse": tlparse,
}
PLAIN, OURS, *PEERS = WAYS


def _child(way: str) -> list[str]:
    return [sys.executable, "-c", CHILD, way]


def _timed(command: list[str], folder: Path, **variables: str) -> Taken:
    caches = folder / "caches"
    shutil.rmtree(caches, ignore_errors=True)
    # Byte code is kept, as in any installation: the first round, which does not count, writes it.
    without = ("INSPECTOR_", "TORCH", "PYTHONDONTWRITEBYTECODE")
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith(without)},
        "TORCHINDUCTOR_CACHE_DIR": str(caches),
        **variables,
    }
    output = folder / "output"
    with output.open("wb") as stream:
        began_s = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=stream, stderr=subprocess.STDOUT
        )
        _, status, used = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - began_s
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        tail = output.read_text(errors="replace")[-3000:]
        raise RuntimeError(f"{command} ended with {process.returncode}:\n{tail}")
    return Taken(wall_s, used.ru_utime + used.ru_stime)


def measured(
    name: str, backend: str, rounds: int, peer_rounds: int
) -> Iterator[dict[str, list[Taken]]]:
    """All ways on one model, in turns: what there is after each round."""
    ways = {way: function for way, function in WAYS.items() if _is_here(way)}
    if not peer_rounds:
        ways = {way: ways[way] for way in (PLAIN, OURS)}
    if backend != "eager":
        ways.pop("torch._dynamo.explain", None)  # it compiles with a backend of its own
    found: dict[str, list[Taken]] = {way: [] for way in ways}
    for number in range(-1, rounds):  # the first round warms the file cache, and does not count
        due = [way for way in ways if way in (PLAIN, OURS) or number < peer_rounds]
        for way in random.sample(due, len(due)):
            with tempfile.TemporaryDirectory() as folder:
                taken = ways[way](MODELS[name], backend, Path(folder))
            print(f"{name} {backend} {number + 1}/{rounds} {way}: {taken}", file=sys.stderr)
            if number >= 0:
                found[way].append(taken)
        if number >= 0:
            yield found


def _is_here(way: str) -> bool:
    if way == "depyf":
        return importlib.util.find_spec("depyf") is not None
    return way != "TORCH_TRACE + tlparse" or shutil.which("tlparse") is not None


def rows(name: str, backend: str, found: dict[str, list[Taken]]) -> list[str]:
    """The table's lines of one model with one backend."""
    base = [taken.wall_s for taken in found[PLAIN]]
    lines = []
    for way in WAYS:
        if way not in found:
            continue
        walls = [taken.wall_s for taken in found[way]]
        cpu_s = statistics.median(taken.cpu_s for taken in found[way])
        logging = [taken.logging_s for taken in found[way] if taken.logging_s is not None]
        ratio, difference, verdict = "1", "-", "-"
        if way != PLAIN:
            same = base[: len(walls)]  # the same rounds
            low, high = _interval(walls, same)
            middle = statistics.median(walls) / statistics.median(same)
            more_s = statistics.median(walls) - statistics.median(same)
            ratio, difference = f"{middle:.3f} ({low:.3f} to {high:.3f})", f"{more_s:+.2f}"
        if way == OURS:
            share, seconds = ALLOWED[backend]
            allowed_s = max(share * statistics.median(base), statistics.median(base) + seconds)
            is_met = statistics.median(walls) <= allowed_s
            verdict = f"{'within' if is_met else '**above**'} {allowed_s:.2f} s"
        cells = [
            name, backend, way, str(len(walls)), f"{statistics.median(walls):.2f}", ratio,
            difference, f"{cpu_s:.2f}",
            f"{statistics.median(logging):.2f}" if logging else "-", verdict,
        ]  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _interval(times: Sequence[float], base: Sequence[float]) -> tuple[float, float]:
    draw = random.Random(0).choices  # noqa: S311 - resampling, not a secret
    pairs = list(zip(times, base, strict=True))

    def ratio(drawn: list[tuple[float, float]]) -> float:
        return statistics.median(t for t, _ in drawn) / statistics.median(b for _, b in drawn)

    ratios = sorted(ratio(draw(pairs, k=len(pairs))) for _ in range(2000))
    return ratios[50], ratios[-51]


def _machine() -> str:
    import torch

    usable = len(os.sched_getaffinity(0))
    return f"torch {torch.__version__}, {usable} of {os.cpu_count()} processors"


def _head(where: str) -> list[str]:
    columns = (
        "model", "backend", "way", "n", "median, s", "÷ plain (95 %)", "more than plain, s",
        "processor time, s", "torch's structured_logging_overhead, s", "allowed",
    )  # fmt: skip
    return [
        "# What recording adds to a compilation",
        "",
        (
            f"`python benchmarks/capture_overhead.py`: {where}. Whole processes, in turns, in "
            "random order; each starts with empty FX graph, AOTAutograd, C++, Triton, autotuning "
            "and profile-guided-shape caches. Processor time includes what the process starts."
        ),
        "",
        f"| {' | '.join(columns)} |",
        "|:--|:--|:--|--:|--:|:--|--:|--:|--:|:--|",
    ]


def _merged(files: Sequence[Path]) -> dict[str, dict[str, list[Taken]]]:
    """Rounds of several processes of this benchmark, put together."""
    merged: dict[str, dict[str, list[Taken]]] = {}
    for file in files:
        for key, ways in json.loads(file.read_text(encoding="utf-8")).items():
            if key == _MACHINE:
                continue
            for way, each in ways.items():
                taken = [Taken(**fields) for fields in each]
                merged.setdefault(key, {}).setdefault(way, []).extend(taken)
    return merged


def _said_of(files: Sequence[Path]) -> list[str]:
    """Where the rounds of other processes of this benchmark were measured."""
    found = {json.loads(file.read_text(encoding="utf-8")).get(_MACHINE, "") for file in files}
    return sorted(filter(None, found))


def _write_raw(path: Path, taken: dict[str, dict[str, list[Taken]]]) -> None:
    raw: dict[str, object] = {
        key: {way: [dataclasses.asdict(one) for one in each] for way, each in ways.items()}
        for key, ways in taken.items()
    }
    path.write_text(json.dumps({_MACHINE: _machine(), **raw}), encoding="utf-8")


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--models", nargs="*", default=list(MODELS))
    parser.add_argument("--backends", nargs="*", default=list(ALLOWED))
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--peer-rounds", type=int, default=5, help="0: no other tools")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--raw", type=Path, help="where to keep every figure, as JSON")
    parser.add_argument("--merge", nargs="+", type=Path, help="measure nothing; read these --raw")
    options = parser.parse_args()
    head = _head("; ".join(_said_of(options.merge)) if options.merge else _machine())
    lines = list(head)
    print("\n".join(lines), flush=True)
    raw = _merged(options.merge or ())
    for key, found in raw.items():
        name, _, backend = key.partition(" ")
        lines += rows(name, backend, found)
    print("\n".join(lines[len(head) :]), flush=True)
    for backend in () if options.merge else options.backends:
        for name in options.models:
            for found in measured(name, backend, options.rounds, options.peer_rounds):
                raw[f"{name} {backend}"] = found
                if options.raw:  # after each round, because all of it takes hours
                    _write_raw(options.raw, raw)
            new = rows(name, backend, raw[f"{name} {backend}"])
            print("\n".join(new), flush=True)
            lines += new
            if options.output:
                options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if options.merge and options.output:
        options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
