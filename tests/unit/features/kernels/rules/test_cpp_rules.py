"""Findings on C++ kernels: what they say, and that healthy kernels have none."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.features.kernels.rules.cpp_not_vectorised import RULE as SCALAR
from inspector.features.kernels.rules.cpp_serial import RULE as SERIAL
from inspector.records.kernels import CppKernelLoops, CppLoop, CppNest, NotTiled
from inspector.report.rule import Advised, Rule
from inspector.run.cpp_kernel import CppFacts, CppText
from tests.unit.cpp_logs import VERSIONS, cpp_log, cpp_report, plain_log

LARGE = 1 << 20


def facts(*nests: CppNest, threads: int = 8) -> CppFacts:
    said = CppKernelLoops(
        name="cpp_fused_0", isa="avx2", vector_bits=256, compiler="g++", threads=threads,
        min_chunk_size=512, comment="", traffic_bytes=None, nests=nests,
    )  # fmt: skip
    return CppFacts(CppText(()), said)


def nest(size: int, *, vector: bool = True, parallel: int = 1, elements: int = LARGE) -> CppNest:
    loop = CppLoop("x0", str(size), "8" if vector else "1", parallel=parallel, is_vector=vector)
    reason = None if vector else NotTiled("dtype", dtypes=("torch.int16",))
    return CppNest((loop,), elements, reason)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_reasons_are_inductors(version: str) -> None:
    (finding,) = cpp_report(cpp_log(version)).findings
    assert finding.rule == "cpp-not-vectorised"
    assert "leaves 3 of 9 loops unvectorized" in finding.message
    for reason in ("stride 2 in", "Inductor does not vectorize int16", "only 2 elements"):
        assert reason in finding.why
    # The slice has the most elements; its line is the place.
    assert finding.place.line == 11
    assert finding.place.excerpt[0].text == "short[:, :, :2] + 1,"


@pytest.mark.parametrize("version", VERSIONS)
def test_where_nobody_recorded_a_reason_there_is_none(
    version: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    report = cpp_report(plain_log(version, tmp_path_factory.mktemp("plain")))
    (row,) = report.rows
    assert row.kernel.cpp is not None
    assert row.kernel.cpp.recorded is None
    assert row.kernel.cpp.vector_loops == 6
    assert report.findings == ()


def look(rule: Rule[CppFacts, Advised], kernel: CppFacts, cores: int | None = 8) -> list[Advised]:
    return list(rule.check(dataclasses.replace(kernel, cores=cores)))


def test_healthy_and_small_kernels_have_no_findings() -> None:
    healthy = facts(nest(LARGE), nest(1 << 16))
    small = facts(nest(64, vector=False, parallel=0, elements=64))
    for rule in (SCALAR, SERIAL):
        assert not look(rule, healthy)
        assert not look(rule, small)


def test_one_thread_on_several_cores() -> None:
    alone = facts(nest(LARGE, parallel=0), threads=1)
    (advice,) = look(SERIAL, alone)
    assert advice.message == "runs on one of 8 cores"
    assert "OMP_NUM_THREADS" in advice.fix
    assert not look(SERIAL, alone, 1)  # nothing to share it with
    assert not look(SERIAL, alone, None)  # nobody knows


def test_few_iterations_keep_few_cores_busy() -> None:
    rows = CppLoop("x0", "2", "1", parallel=1)
    columns = CppLoop("x1", "524288", "8", is_reduction=True, is_vector=True)
    (advice,) = look(SERIAL, facts(CppNest((rows, columns), LARGE)))
    assert advice.message == "keeps 2 cores of 8 busy"
    symbolic = CppLoop("x0", "s0", "1", parallel=1)
    assert not look(SERIAL, facts(CppNest((symbolic, columns), LARGE)))
