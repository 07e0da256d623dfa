"""What a GPU can do: figures that cannot be far off on any GPU, and what they do not depend on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHONPATH = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
# A program that has set what would change the figures, or break the measuring.
PROGRAM = """
import json, sys, torch
torch.set_default_dtype(torch.float64)
torch.set_default_device("cuda")
torch.backends.cuda.matmul.allow_tf32 = True
taken = torch.zeros(1, device="cuda")
if "full" in sys.argv:
    free, _ = torch.cuda.mem_get_info()
    taken = torch.empty(free - (1 << 30), dtype=torch.uint8, device="cuda")
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    from inspector.capture.profiling.ceilings import ceilings
    from inspector.records.codec import encode
    empty = {"missing": {}, "unstable": {}, "cached": False}
    print(json.dumps({**empty, **encode(ceilings(fresh=True))}))
assert torch.backends.cuda.matmul.allow_tf32
"""


def measured(folder: Path, *arguments: str, **environment: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": PYTHONPATH,
            "XDG_CACHE_HOME": str(folder),
            "CUDA_LAUNCH_BLOCKING": "1",
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return measured(tmp_path_factory.mktemp("ceilings"))


def test_everything_is_measured(found: dict[str, Any]) -> None:
    assert not [reason for reason in found["missing"].values() if "capability" not in reason]
    print(json.dumps(found, indent=2), found["took_ns"] / 1e9)  # seen with -s


def test_what_is_faster_than_what(found: dict[str, Any]) -> None:
    values = found["ceilings"]
    assert values["l2_bytes_per_s"] > values["copy_bytes_per_s"]
    assert values["copy_bytes_per_s"] > values["host_to_device_bytes_per_s"]
    assert values["float16_flops_per_s"] > values["float32_flops_per_s"]
    # The program allows TF32: the figure for float32 must not.
    if "tf32_flops_per_s" in values:
        assert values["tf32_flops_per_s"] > 1.5 * values["float32_flops_per_s"]


@pytest.mark.alone
def test_a_full_gpu_says_so_and_is_not_kept(tmp_path: Path) -> None:
    found = measured(tmp_path, "full")
    assert "memory" in found["missing"]["copy_bytes_per_s"]
    assert not list(tmp_path.rglob("ceilings-*.json"))
