"""Reading big traces: one log of 1 GB, and 64 ranks of 20 MB each, next to tlparse.

    python benchmarks/traces.py [--source LOG …] [--tlparse PATH] [--megabytes 1000] [--ranks 64]

The logs are real ones (by default those of the samples' recordings), repeated with other frame ids
until they are as large as asked for. Time and memory are those of the whole process with its
children, as the kernel counts them; *scan* parses each envelope with orjson and does nothing else.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FRAME = re.compile(rb'"frame_id": (\d+)')
SCAN = """
import sys, orjson
from pathlib import Path
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        for line in file:
            if not line.startswith(b"\\t"):
                orjson.loads(line[line.index(b"{"):])
"""


def plain(log: bytes) -> bytes:
    """A log without our own records, as torch alone writes it."""
    kept, is_ours = [], False
    for line in log.splitlines(keepends=True):
        if not line.startswith(b"\t"):
            is_ours = b'"name": "inspector_' in line
        if not is_ours:
            kept.append(line)
    return b"".join(kept)


def sources(given: Sequence[Path]) -> list[bytes]:
    """The logs that are repeated."""
    if given:
        return [path.read_bytes() for path in given]
    found = []
    for name in ("recompiles", "graph_breaks", "bert_base", "transformer_block"):
        for path in sorted((ROOT / "samples" / name).glob("*.zip")):
            with zipfile.ZipFile(path) as archive:
                logs = [item for item in archive.namelist() if item.endswith(".log")]
                found += [plain(archive.read(item)) for item in logs]
    return found


def write(path: Path, logs: Sequence[bytes], size: int) -> None:
    """Repeats the logs until the file is as large as asked for; each time has other frames."""
    highest = 1 + max(int(number) for log in logs for number in FRAME.findall(log))
    with path.open("wb") as file:
        for number in range(1_000_000):
            for place, log in enumerate(logs):
                offset = highest * (number * len(logs) + place)
                file.write(
                    FRAME.sub(lambda m, by=offset: b'"frame_id": %d' % (int(m[1]) + by), log)
                )
                if file.tell() >= size:
                    return


def measured(command: Sequence[str]) -> tuple[float, float, float, int]:
    """Wall seconds, CPU seconds, MB of the largest process, and the exit code."""
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return (
        time.monotonic() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024,
        process.returncode,
    )  # fmt: skip


def commands(folder: Path, tlparse: str | None) -> Iterator[tuple[str, list[str]]]:
    """What is measured on a folder of logs."""
    logs = sorted(str(path) for path in folder.glob("*.log"))
    target = logs[0] if len(logs) == 1 else str(folder)
    yield "scan", [sys.executable, "-c", SCAN, *logs]
    inspect = [sys.executable, "-m", "inspector.cli"]
    yield "inspect explain", [*inspect, "explain", target]
    if len(logs) > 1:
        yield "inspect ranks", [*inspect, "ranks", target]
    if tlparse:
        output = ["-o", str(folder / "tl"), "--overwrite", "--no-browser"]
        yield (
            "tlparse",
            [tlparse, *(["--all-ranks-html"] if len(logs) > 1 else []), target, *output],
        )


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--source", type=Path, nargs="*", default=[])
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--ranks", type=int, default=64)
    parser.add_argument("--rank-megabytes", type=int, default=20)
    parser.add_argument("--tlparse", help="its program")
    options = parser.parse_args()
    logs = sources(options.source)
    print("| logs | who | wall s | CPU s | MB of the largest process | exit code |")
    print("|---|---|--:|--:|--:|--:|")
    for number, size in ((1, options.megabytes), (options.ranks, options.rank_megabytes)):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            for rank in range(number):
                write(folder / f"dedicated_log_torch_trace_rank_{rank}_a.log", logs, size * 10**6)
            for name, command in commands(folder, options.tlparse):
                wall, cpu, most, code = measured(command)
                label = f"{number} x {size} MB"
                print(
                    f"| {label} | {name} | {wall:.1f} | {cpu:.1f} | {most:,.0f} | {code} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
