"""What autotuning tried, out of recorded artifacts: rows, costs, margins, and hostile payloads."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from inspector.features.graph.fusion import Step
from inspector.features.graph.wording import TIMES
from inspector.features.profile.autotune_wording import (
    autotune_advice,
    autotune_summary,
    candidate_rows,
    tuned_rows,
)
from inspector.features.profile.autotuned import Autotuning, make_autotuning
from inspector.features.profile.kernel_timing import KernelTiming
from inspector.features.profile.step_facts import FusionFacts
from inspector.run.kernel import Call, GraphCode, NodeLine
from inspector.run.run import Run
from tests.unit.features.profile.test_kernel_timing import launched
from tests.unit.fusions import SIZE, Kernel, fusion, graph, node
from tests.unit.logs import record, run_of

CONFIG = {"kind": "config"}
MM = node("mm", "aten.mm.default", "x", at=4)


def template(**changes: Any) -> dict[str, Any]:
    """A product for which cuBLAS won; a third template failed."""
    return {
        "v": 1, "kind": "template", "name": "mm", "how": "measured", "chosen": 0, "default": 0,
        "total": 4, "failed": 1, "node": "mm", "target": "aten.mm.default", "backward": False,
        "inputs": [{"shape": [128, "s0"], "dtype": "bfloat16", "device": "cuda:0"}] * 2,
        "output": {"shape": [128, 128], "dtype": "bfloat16", "device": "cuda:0"},
        "benchmark_ns": 2_000_000_000, "compile_ns": 1_000_000_000,
        "candidates": [
            {"name": "mm", "kind": "extern", "time_ns": 100_000},
            {"name": "triton_mm_1", "kind": "triton", "time_ns": 112_000,
             "text": "ACC_TYPE='tl.float32', BLOCK_K=32, BLOCK_M=64, num_stages=2, num_warps=4"},
            {"name": "triton_mm_2", "kind": "triton", "time_ns": 150_000},
            {"name": "triton_mm_3", "kind": "triton", "failed": "out of shared memory"},
        ],
        **changes,
    }  # fmt: skip


def kernel(**changes: Any) -> dict[str, Any]:
    """A reduction: the second of its configurations won, by 2 %."""
    return {
        "v": 1, "kind": "triton", "name": "triton_red_fused_sum_0", "how": "measured",
        "chosen": 1, "default": 0, "total": 3, "failed": 0, "compile_id": "0/0",
        "heuristic": "reduction", "listed": 4, "scaled": 1, "benchmark_ns": 90_000_000,
        "in_workers": True,
        "candidates": [
            {**CONFIG, "text": "XBLOCK=1, num_warps=4", "time_ns": 20_000},
            {**CONFIG, "text": "XBLOCK=8, num_warps=4", "time_ns": 10_000},
            {**CONFIG, "text": "XBLOCK=4, num_warps=8", "time_ns": 10_200},
        ],
        **changes,
    }  # fmt: skip


def read(tmp_path: Path, *payloads: object) -> Run:
    head = {"name": "inspector_autotuned", "encoding": "json"}
    texts = [item if isinstance(item, str) else json.dumps(item) for item in payloads]
    return run_of(tmp_path, *(record("artifact", head, payload=text) for text in texts))


def tuning(
    tmp_path: Path, *payloads: object, work: tuple[KernelTiming, ...] = (), **facts: int
) -> Autotuning:
    found = make_autotuning(read(tmp_path, *payloads).processes, work)
    assert found is not None
    return dataclasses.replace(found, **facts)  # type: ignore[arg-type]


def words(found: Autotuning, wall_ns: float = 0) -> str:
    rows = tuned_rows(found)
    texts = [*autotune_summary(found, wall_ns), *autotune_advice(found)]
    texts += [f"{cost} | {name} | {won.replace(' · ', ' | ')}" for name, cost, won, _ in rows]
    return "\n".join(texts)


def test_templates_that_all_lost_can_be_spared(tmp_path: Path) -> None:
    found = tuning(tmp_path, template(), compile_time_ns=9_000_000_000)
    text = words(found)
    for part in (
        "3.0 s of 9.0 s compile time: 4 candidates at 1 place",
        "all 3 templates lost to a library at 1 place and cost 3.0 s",
        'max_autotune_gemm_backends = "ATEN"',
        f"3.0 s | mm 128{TIMES}s0, 128{TIMES}s0 bfloat16 | mm 100 µs",
        "12.0% faster than triton_mm_1 (BLOCK_K=32, BLOCK_M=64, num_stages=2, num_warps=4)",
        "same as the default",
        "1 failed: out of shared memory",
    ):
        assert part in text, part


def test_a_template_that_won_is_worth_it(tmp_path: Path) -> None:
    """Of the time in place the benchmarks' ratio counts: 30 % of twice 50 µs, of 1 ms."""
    changed = template(chosen=1)
    changed["candidates"][1]["time_ns"] = 50_000
    changed["candidates"][0]["time_ns"] = 65_000
    found = tuning(tmp_path, changed, work=works())
    (item,) = found.tuned
    assert (item.launches, item.in_place_ns) == (2, 100_000)
    assert item.gain == pytest.approx(0.3)
    assert found.saved_ns == pytest.approx(30_000)
    assert item.lines[0].line == 4
    text = words(found, 1_000_000)
    assert "saves about 30 µs of 1.0 ms per call over the defaults; pays off after 100,000" in text
    assert "30.0% faster than mm, the default" in text
    assert "lost to a library" not in text
    assert "no measurable gain" in words(found, 100_000_000)


def works() -> tuple[KernelTiming, ...]:
    """The product twice, of another graph once, and a kernel that reads what it computes."""
    found = fusion(
        graph(node("x", ""), MM),
        Kernel("aten.mm.out", ("mm",), {"x": SIZE}, {"buf1": SIZE}, "extern"),
    )
    step, facts = found.steps[0], FusionFacts(found).of(found.steps[0])
    again = dataclasses.replace(step, again=frozenset({"mm"}))
    call = Call("extern", "extern_kernels.mm", 20)
    other = GraphCode("1/0", "forward", "", (), ())
    place = NodeLine("mm", "/p/model.py", 4)

    def made(time_ns: int, of: Step, code: GraphCode | None = None) -> KernelTiming:
        launch = launched("gemm", time_ns, call=call, step=(of, facts))
        launch = dataclasses.replace(launch, code=code) if code else launch
        return KernelTiming("mm", "library", (launch,), (time_ns,), None, None, "", (place,), ())

    return made(50_000, step), made(50_000, step), made(70_000, step, other), made(9_000, again)


def test_configurations_of_a_kernel(tmp_path: Path) -> None:
    found = tuning(tmp_path, kernel())
    text = words(found)
    for part in (
        "90 ms | triton_red_fused_sum_0 | XBLOCK=8, num_warps=4 10 µs",
        "2.0% faster than XBLOCK=4, num_warps=8: within noise (5%)",
        f"2.0{TIMES} faster than XBLOCK=1, num_warps=4, the default",
    ):
        assert part in text, part
    assert "cold start" not in text  # less than a second
    rows = list(candidate_rows(found.tuned[0]))
    assert rows[0] == ("10 µs", "taken", "XBLOCK=8, num_warps=4")
    assert rows[-1] == ("20 µs", f"2.00{TIMES}", "XBLOCK=1, num_warps=4 · default")


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"candidates": [None, 3, {}, {"time_ns": float("nan")}, {"time_ns": "fast"}]},
        {"kind": 3, "name": None, "how": [], "chosen": 1e300, "default": True},
        template(chosen=99, default=77),
        template(candidates=[{"kind": "extern", "time_ns": 0}] * 4),
        template(inputs="none", output=[1], benchmark_ns="NaN", compile_ns=-1),
        template(name="\x1b[31m| a `b` \n# no heading", error="\udc80"),
    ],
)
def test_whatever_stands_there_is_read(tmp_path: Path, payload: dict[str, Any]) -> None:
    found = tuning(tmp_path, payload)
    assert words(found, 1e6)


@pytest.mark.parametrize("text", ['{"v": 1, "kind": "tem', "[1]", "null", "[" * 9000])
def test_a_payload_that_was_cut_off_is_a_warning(tmp_path: Path, text: str) -> None:
    run = read(tmp_path, text)
    assert make_autotuning(run.processes, ()) is None
    assert run.warnings
