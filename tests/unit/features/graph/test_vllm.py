"""vLLM's parts in a report: which rank is shown, and nothing where vLLM did not run."""

import dataclasses

from inspector.features.graph.report import make_passes_report
from inspector.features.graph.vllm import vllm_of, vllm_sections
from inspector.records.vllm import VllmConfig, VllmPieceStart
from inspector.report.page import Table
from inspector.run.compile_time import StageTime
from inspector.run.pieces import Piece
from inspector.run.run import Process
from tests.unit.render import runs


def process(rank: int, time_ns: int) -> Process:
    start = VllmPieceStart(name="submod_0", range_start=1, range_end=16)
    piece = Piece(start, "0/0", (StageTime("lowering", time_ns),), (), (0, 0))
    made = dataclasses.replace(runs.process_of(), rank=rank, pid=rank, pieces=(piece,))
    return made.with_records(VllmConfig(model="small", mode="3"))


def test_the_slowest_rank_is_shown() -> None:
    run = runs.run_of(process(0, 10_000_000), process(1, 20_000_000))
    (section,) = vllm_sections(vllm_of(run))
    assert section.title == "vLLM on rank 1 of 2: 1 compilation of 1 submodule, 20 ms"
    pieces, settings = section.blocks
    assert isinstance(pieces, Table)
    assert pieces.rows == [("submod_0", "1\N{EN DASH}16", "20 ms", "", ["lowering 20 ms"])]
    assert isinstance(settings, Table)
    assert settings.rows == [("model", "small"), ("mode", "3")]


def test_one_size_is_one_number() -> None:
    start = VllmPieceStart(range_start=8, range_end=8, is_cudagraph_size=True)
    assert Piece(start, "", (), (), (0, 0)).tokens == "8 (CUDA graph)"


def test_a_log_without_a_process_has_no_parts_and_no_passes() -> None:
    run = runs.run_of()
    assert vllm_of(run) == ()
    assert make_passes_report(run).graphs == ()
