"""What the rules on compile time say."""

import dataclasses

import pytest

from inspector.features.compile_time.rules import (
    autotuning_time,
    cache_bypass,
    cpp_time,
    frame_time,
)
from inspector.run.compile_time import CompilationTime, StageTime
from inspector.run.run import Run
from inspector.trace.caches import CacheLookup, CacheState
from tests.unit import cold_starts
from tests.unit.render import runs

S = 10**9


def run_of(*times: tuple[str, str, int], lookups: tuple[CacheLookup, ...] = ()) -> Run:
    """A run of (function, stage, seconds) entries."""
    compiled = tuple(
        CompilationTime(f"{at}/0", 0, is_backward=False, begin_ns=at, name=name, file=runs.MODEL,
                        first_line=at + 1, stages=(StageTime(stage, seconds * S),))
        for at, (name, stage, seconds) in enumerate(times)
    )  # fmt: skip
    process = dataclasses.replace(
        runs.process_of(),
        compile_times=compiled,
        stages=tuple(StageTime(stage, seconds * S) for _, stage, seconds in times),
        compile_time_ns=sum(seconds * S for _, _, seconds in times),
        lookups=lookups,
    )
    return runs.run_of(process)


def test_a_pass_of_ones_own_passes_the_caches_by() -> None:
    (found,) = cache_bypass.RULE.check(cold_starts.read("pass"))

    assert found.message == (
        "the AOTAutograd and FX graph caches are bypassed: Unsupported post grad custom pass"
    )
    assert "CustomGraphPass" in found.fix
    assert (found.place.line, found.records) == (6, 3)


@pytest.mark.parametrize(
    ("reason", "advice"),
    [
        ("Unsupported _pre_fusion_custom_pass", "CustomGraphPass"),
        ("Cannot cache a graph with freezing enabled", "freezing"),
        ("FX graph cache is not enabled", "fx_graph_cache"),
        ("Can't cache HigherOrderOperator: wrap", '{"torch.ops.higher_order.wrap": "1"}'),
        (
            "Unsupported call_function target <f>. \n Function module: m.n, \nFunction name: f",
            '{"m.n.f": "1"}',
        ),
        ("a reason that nobody knows", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_the_reason_decides_what_to_do(reason: str, advice: str) -> None:
    lookup = CacheLookup("FX graph", CacheState.BYPASS, "0/0", 0, is_backward=False, reason=reason)
    (found,) = cache_bypass.RULE.check(run_of(("f", "Dynamo", 1), lookups=(lookup,)))

    assert advice in found.fix
    assert bool(advice) == bool(found.fix)


def test_the_c_compiler_takes_most() -> None:
    (found,) = cpp_time.RULE.check(cold_starts.read("cold"))

    assert "TORCHINDUCTOR_CACHE_DIR" in found.fix
    assert "TORCHINDUCTOR_VEC_ISA_OK=1" in found.alternatives[0]
    assert not list(cpp_time.RULE.check(cold_starts.read("warm")))


def test_autotuning_takes_most() -> None:
    lookup = CacheLookup("autotune", CacheState.MISS, "0/0", 0, is_backward=False, what="mm",
                         time_taken_ns=8 * S)  # fmt: skip
    slow = run_of(("f", "autotuning", 8), ("g", "Dynamo", 2), lookups=(lookup,))
    (found,) = autotuning_time.RULE.check(slow)

    assert found.message == "autotuning takes 8.0 s of 10.0 s of compile time"
    assert "the longest: mm 8.0 s" in found.why
    assert not list(autotuning_time.RULE.check(run_of(("f", "autotuning", 4), ("g", "Dynamo", 6))))


def test_one_function_takes_most() -> None:
    (found,) = frame_time.RULE.check(run_of(("f", "lowering", 8), ("g", "Dynamo", 2)))

    assert found.message == "f takes 8.0 s of 10.0 s of compile time"
    assert not list(frame_time.RULE.check(run_of(("f", "lowering", 8))))
    assert not list(frame_time.RULE.check(run_of(*[(n, "Dynamo", 2) for n in "fgh"])))


def test_what_the_first_function_pays_for_all_is_not_its_own() -> None:
    run = run_of(("f", "C++ vector check", 8), ("g", "Dynamo", 2), ("h", "Dynamo", 2))
    assert [item.message[0] for item in frame_time.RULE.check(run)] == ["g"]
