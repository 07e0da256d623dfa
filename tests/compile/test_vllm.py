"""What a program logs that compiles as vLLM does: each part, each range, each pass."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.features.graph.report import PassesReport, make_passes_report
from inspector.features.graph.vllm import Vllm
from inspector.run.sources.recording import opened, read_run
from inspector.trace.caches import CacheState

PROGRAM = Path(__file__).parent / "vllm_program.py"


@pytest.fixture(scope="module")
def starts(tmp_path_factory: pytest.TempPathFactory) -> list[PassesReport]:
    """Two starts with one cache."""
    folder = tmp_path_factory.mktemp("vllm")
    reports = []
    for name in ("cold", "warm"):
        logs = folder / name
        environment = {"TORCH_TRACE": str(logs), "TORCHINDUCTOR_CACHE_DIR": str(folder / "cache")}
        subprocess.run([sys.executable, PROGRAM], env=os.environ | environment, check=True)
        with opened(logs) as recording:
            reports.append(make_passes_report(read_run(recording)))
    return reports


def only(report: PassesReport) -> Vllm:
    (found,) = report.vllm
    return found


def test_each_part_and_range_has_its_time_its_caches_and_its_passes(
    starts: list[PassesReport],
) -> None:
    found = only(starts[0])
    assert (found.config.model, found.config.compile_ranges) == ("small", "16, 64")
    assert [
        (item.piece.start.name, item.piece.start.range_end, [step.name for step in item.passes])
        for item in found.pieces
    ] == [
        ("submod_0", 16, []),
        ("submod_0", 64, []),
        ("submod_2", 16, ["SineFusionPass"]),
        ("submod_2", 64, ["SineFusionPass"]),
    ]
    (step,) = found.pieces[-1].passes
    assert [(edit.before.target, edit.after.target) for edit in step.changed] == [
        ("aten.sin.default", "aten.cos.default")
    ]
    assert all(item.piece.time_ns for item in found.pieces)
    assert states(found) == {CacheState.MISS}


def test_a_warm_start_hits(starts: list[PassesReport]) -> None:
    found = only(starts[1])
    assert [item.piece.start.index for item in found.pieces] == [0, 0, 1, 1]
    assert states(found) == {CacheState.HIT}
    assert not starts[1].graphs


def states(found: Vllm) -> set[CacheState]:
    per_piece = [{lookup.state for lookup in item.piece.lookups} for item in found.pieces]
    assert all(per_piece)
    return set().union(*per_piece)
