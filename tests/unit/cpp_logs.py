"""Reports on the recorded C++ kernels of tests/unit/data/cpp_kernels."""

import contextlib
import gzip
import json
from pathlib import Path

from inspector import plugins
from inspector.features.kernels.report import KernelsReport, make_kernels_report
from inspector.run.sources.recording import opened, read_run

VERSIONS = ("torch_2_11", "torch_2_13")
_DATA = Path(__file__).parent / "data" / "cpp_kernels"


def cpp_log(version: str) -> Path:
    return _DATA / f"{version}.log.gz"


def cpp_report(log: Path, stack: contextlib.ExitStack | None = None) -> KernelsReport:
    """The kernels of a log, which is there as long as the stack is."""
    rules = plugins.load_rules("cpp")
    with contextlib.ExitStack() as own:
        recording = (stack or own).enter_context(opened(log))
        return make_kernels_report(read_run(recording), cpp_rules=rules)


def plain_log(version: str, folder: Path) -> Path:
    """The same as torch alone writes it: without our artifacts."""
    kept: list[str] = []
    ours = False
    for line in gzip.decompress(cpp_log(version).read_bytes()).decode().splitlines(keepends=True):
        if not line.startswith("\t"):
            envelope = json.loads(line[line.index("{") :])
            ours = str(envelope.get("artifact", {}).get("name", "")).startswith("inspector_")
        if not ours:
            kept.append(line)
    log = folder / f"{version}.log"
    log.write_text("".join(kept))
    return log
