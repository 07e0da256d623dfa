"""Cold and warm starts of a real program, one process after the other over the same caches."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from inspector.run.run import Run
from inspector.run.sources.recording import opened, read_run
from inspector.trace.caches import CacheState
from tests.compile.warm_python import INSPECT
from tests.unit import cold_starts

CHILD = Path(__file__).with_name("cold_start_child.py")
MODES = ("cold", "warm", "function as a pass", "pass with a name", "named again")
MODEL = """
import torch

def slow(x):
    for _ in range(120):
        x = x.view(8, 4).view(4, 8)  # much to trace, and nothing to compile
    return x

def model(x):
    x = slow(x)
    return torch.softmax(x * 2, -1)

example_inputs = (torch.ones(4, 8),)
"""


@pytest.fixture(scope="module")
def starts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """What each start logged, by its mode."""
    folder = tmp_path_factory.mktemp("starts")
    environment = os.environ | {
        "TORCHINDUCTOR_CACHE_DIR": str(folder / "caches"),
        "TORCH_TRACE": str(folder / "imported"),
    }
    subprocess.run([sys.executable, str(CHILD), str(folder), *MODES], env=environment, check=True)
    assert not (folder / "imported").exists()
    found = {}
    for mode in MODES:
        with opened(folder / mode) as recording:
            found[mode] = read_run(recording, keep_spans=True)
    return found


def states(run: Run) -> dict[str, set[CacheState]]:
    found: dict[str, set[CacheState]] = {}
    for lookup in run.processes[0].lookups:
        found.setdefault(lookup.cache, set()).add(lookup.state)
    return {cache: found[cache] for cache in ("AOTAutograd", "FX graph")}


def test_the_second_process_finds_what_the_first_one_stored(starts: dict[str, Run]) -> None:
    assert states(starts["cold"]) == {
        "AOTAutograd": {CacheState.MISS}, "FX graph": {CacheState.MISS}
    }  # fmt: skip
    assert states(starts["warm"]) == {
        "AOTAutograd": {CacheState.HIT}, "FX graph": {CacheState.HIT}
    }  # fmt: skip
    assert starts["warm"].processes[0].cache_hits == {"AOTAutograd": 1, "FX graph": 2}
    cold, warm = (starts[mode].processes[0].compile_time_ns for mode in ("cold", "warm"))
    assert warm < cold


def test_a_bypass_is_found_and_its_fix_works(starts: dict[str, Run]) -> None:
    (found,) = (
        item
        for item in cold_starts.report_of(starts["function as a pass"]).report.findings
        if item.rule == "cache-bypass"
    )

    assert "Unsupported post grad custom pass" in found.message
    assert "CustomGraphPass" in found.fix
    assert states(starts["pass with a name"])["FX graph"] == {CacheState.MISS}
    assert states(starts["named again"]) == {
        "AOTAutograd": {CacheState.HIT}, "FX graph": {CacheState.HIT}
    }  # fmt: skip


def test_the_times_agree_with_what_torch_says(starts: dict[str, Run]) -> None:
    """Torch's own sum over a frame is the span that we call the compilation."""
    (process,) = starts["cold"].processes
    forward, backward = process.compile_times
    (compilation,) = process.frames[0].compilations

    assert (forward.is_backward, backward.is_backward) == (False, True)
    assert compilation.duration_ns is not None
    assert forward.time_ns == pytest.approx(compilation.duration_ns, rel=0.05)
    stages = {stage.stage for stage in (*forward.stages, *backward.stages)}
    assert stages >= {
        "Dynamo", "guards", "AOTAutograd", "Inductor passes", "lowering", "scheduling",
        "code generation", "C++ compilation", "caches",
    }  # fmt: skip


def test_every_span_that_torch_logs_has_a_stage(starts: dict[str, Run]) -> None:
    unknown = {
        span.name
        for run in starts.values()
        for lane in run.processes[0].lanes
        for span in lane.spans()
        if not span.stage
    }
    assert unknown <= {"gc"}


def test_a_model_is_recorded_with_inductor(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL, encoding="utf-8")
    command = [*INSPECT, "cold-start", "model.py"]
    command += ["--save", "a.zip", "-o", "a.perfetto.json", "--format", "json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)

    assert report["recording"]["settings"]["backend"] == "inductor"
    assert report["compile_time_by_stage_ns"]["lowering"] > 0
    assert {item["name"] for item in report["functions"]} == {"model"}
    lines = {(item["file"], item["line"]): item["time_ns"] for item in report["dynamo_lines"]}
    assert max(lines, key=lambda place: lines[place]) == ("model.py", 6)
    assert lines.keys() <= {("model.py", line) for line in range(4, 13)}
    # The spans around tracing hold a little more than it: making guards' sources, bytecode.
    dynamo_ns = report["compile_time_by_stage_ns"]["Dynamo"]
    assert 0.5 * dynamo_ns < sum(lines.values()) < 1.05 * dynamo_ns
    assert json.loads((tmp_path / "a.perfetto.json").read_text("utf-8"))["traceEvents"]
