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


def test_each_part_and_range_has_its_time_and_its_caches(starts: list[PassesReport]) -> None:
    found = only(starts[0])
    assert (found.config.model, found.config.compile_ranges) == ("small", "16, 64")
    assert [(piece.start.name, piece.start.range_end) for piece in found.pieces] == [
        ("submod_0", 16), ("submod_0", 64), ("submod_2", 16), ("submod_2", 64)
    ]  # fmt: skip
    assert all(piece.time_ns for piece in found.pieces)
    assert states(found) == {CacheState.MISS}


def test_passes_are_those_of_a_part_and_range(starts: list[PassesReport]) -> None:
    changed = [graph for graph in starts[0].graphs if graph.passes]
    assert [graph.name.partition(" 0/0")[0] for graph in changed] == [
        "submod_2 1\N{EN DASH}16", "submod_2 17\N{EN DASH}64"
    ]  # fmt: skip
    for graph in changed:
        (step,) = graph.passes
        assert step.name == "SineFusionPass"
        assert [(edit.before.target, edit.after.target) for edit in step.changed] == [
            ("aten.sin.default", "aten.cos.default")
        ]


def test_a_warm_start_hits(starts: list[PassesReport]) -> None:
    found = only(starts[1])
    assert [piece.start.index for piece in found.pieces] == [0, 0, 1, 1]
    assert states(found) == {CacheState.HIT}
    assert not starts[1].graphs


def states(found: Vllm) -> set[CacheState]:
    per_piece = [{lookup.state for lookup in piece.lookups} for piece in found.pieces]
    assert all(per_piece)
    return set().union(*per_piece)
