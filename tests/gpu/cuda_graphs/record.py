"""Records the scenarios on a machine with a GPU: one .zip of all, for tests that have none.

    python tests/gpu/cuda_graphs/record.py OUTPUT.zip [--jobs 8] [NAME …]

Folders of the machine are replaced by neutral ones, as in the samples' recordings, and events that
say nothing of CUDA graphs are left out. What torch's own log says of CUDA graphs is kept beside
each recording, as text to compare with.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))
from tests import samples  # noqa: E402
from tests.gpu.cuda_graphs.scenarios import SCENARIOS  # noqa: E402

_HERE = "tests/gpu/cuda_graphs/scenarios.py"
_TIMEOUT_S = 240
_KEPT = (
    b'{"str":', b'{"dynamo_start":', b'{"dynamo_output_graph":', b'compilation_metrics":',
    b'{"artifact": {"name": "inspector_', b'"recompile_reasons"', b'"torch_version"',
)  # fmt: skip
_SPAN = b'"CUDAGraphNode.record"'
_GENERATED = b"_caches/"


def stripped(log: bytes) -> bytes:
    """A log without events that say nothing of CUDA graphs, and without generated sources."""
    kept = []
    for entry in re.split(rb"\n(?=[^\t\n])", log.rstrip(b"\n")):
        header, _, payload = entry.partition(b"\n")
        is_source = b"inspector_source" in header and _GENERATED in payload[:400]
        if (any(key in header for key in _KEPT) or _SPAN in payload[:100]) and not is_source:
            kept.append(entry)
    return b"\n".join(kept) + b"\n"


def recorded(name: str, folder: Path) -> tuple[str, int]:
    """Runs one scenario under `inspect run`; its log's text and exit code."""
    recording = folder / name
    command = [sys.executable, "-m", "inspector.cli", "run", "--no-measure"]
    command += ["--save", str(recording), _HERE, name]
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = {
        **os.environ,
        "PYTHONPATH": path,
        "TORCH_LOGS": "cudagraphs",
        "TORCHINDUCTOR_CACHE_DIR": str(folder / f"{name}_caches"),
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
    }
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
        timeout=_TIMEOUT_S,
    )  # fmt: skip
    for number, log in enumerate(sorted(recording.glob("*.log"))):
        log.write_bytes(samples.neutral_log(stripped(log.read_bytes())))
        log.rename(recording / f"trace_{number}.log")
    for meta in recording.glob("meta.json"):
        meta.write_bytes(samples._neutral(meta.read_bytes()))
    return done.stderr, done.returncode


def main() -> None:
    """Writes the .zip."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("output", type=Path)
    parser.add_argument("names", nargs="*", default=list(SCENARIOS))
    parser.add_argument("--jobs", type=int, default=8)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as temporary,
        concurrent.futures.ThreadPoolExecutor(options.jobs) as pool,
        zipfile.ZipFile(options.output, "w", zipfile.ZIP_LZMA) as archive,
    ):
        folder = Path(temporary)
        jobs = {pool.submit(recorded, name, folder): name for name in options.names}
        for job in concurrent.futures.as_completed(jobs):
            name = jobs[job]
            text, code = job.result()
            print(name, code, text.strip().splitlines()[-1:], flush=True)
            archive.writestr(f"{name}/stderr.txt", samples._neutral(text.encode()))
            for path in sorted((folder / name).glob("*")):
                archive.write(path, f"{name}/{path.name}")


if __name__ == "__main__":
    main()
