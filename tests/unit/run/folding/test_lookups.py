"""What was looked for in the compiler's caches, out of logs written by hand."""

import json
from pathlib import Path
from typing import Any

from inspector.trace.caches import CacheLookup
from tests.unit.logs import metrics, record, run_of, start


def event(phase: str, name: str, at_us: float, compile_id: str = "0/0", **said: Any) -> bytes:
    arguments = {"compile_id": compile_id or "None", **said}
    payload = {"name": name, "ph": phase, "ts": at_us, "args": arguments, "tid": 0, "pid": 0}
    return record("chromium_event", {}, compile_id or "0/0", json.dumps(payload))


def artifact(name: str, compile_id: str = "0/0", **said: Any) -> bytes:
    return record("artifact", {"name": name, "encoding": "json"}, compile_id, json.dumps(said))


def lookups(tmp_path: Path, *records: bytes) -> tuple[CacheLookup, ...]:
    (process,) = run_of(tmp_path, start(), *records, metrics()).processes
    return process.lookups


def states(found: tuple[CacheLookup, ...]) -> list[tuple[str, str, str]]:
    return [(item.cache, item.state.value, item.what) for item in found]


def test_hits_misses_and_bypasses_with_what_torch_says_of_them(tmp_path: Path) -> None:
    found = lookups(
        tmp_path,
        artifact("aotautograd_cache_bypass", cache_bypass_reason="no",
                 cache_bypass_exception_type="E"),
        artifact("fx_graph_cache_miss", key="fabc", components=["[h] gm: g"], time_taken_ns=7),
        artifact("fx_graph_cache_hit", key="fabd", time_saved_ns=9),
        artifact("aotautograd_cache_hit", key="a", time_saved_ms=2.0),
    )  # fmt: skip

    assert states(found) == [
        ("AOTAutograd", "bypass", ""),
        ("FX graph", "miss", ""),
        ("FX graph", "hit", ""),
        ("AOTAutograd", "hit", ""),
    ]
    assert (found[0].reason, found[0].exception) == ("no", "E")
    assert (found[1].key, found[1].components, found[1].time_taken_ns) == (
        "fabc",
        ("[h] gm: g",),
        7,
    )
    assert (found[2].time_saved_ns, found[3].time_saved_ns) == (9, 2_000_000)


def test_the_key_or_the_spans_around_say_that_it_is_a_backward_graph(tmp_path: Path) -> None:
    found = lookups(
        tmp_path,
        artifact("fx_graph_cache_miss", components=["[h] fx_kwargs[is_backward]: True"]),
        event("B", "entire_backward_compile", 1),
        artifact("fx_graph_cache_bypass", cache_bypass_reason="x"),
        event("E", "entire_backward_compile", 2),
        artifact("fx_graph_cache_bypass", cache_bypass_reason="x"),
    )

    assert [item.is_backward for item in found] == [True, True, False]


def test_triton_kernels_and_the_autotune_cache(tmp_path: Path) -> None:
    found = lookups(
        tmp_path,
        artifact(
            "triton_kernel_info",
            a={"autotune_cache_state": "miss", "num_configs": 4, "compile_time_us": 12},
            b={"autotune_cache_state": "hit", "best_config": "x", "compile_time_us": 3},
            c={"autotune_cache_state": "only 1 config"},
            d="not what torch writes",
        ),
        event("B", "CachingAutotuner.benchmark_all_configs", 100, kernel_name="a"),
        event("E", "CachingAutotuner.benchmark_all_configs", 150),
        event("B", "mm_template_autotuning", 200),
        event("E", "mm_template_autotuning", 260),
        event("B", "inductor_compile", 300),
        event("E", "inductor_compile", 310, cached_kernel_names=["e", "f"]),
    )

    assert states(found) == [
        ("Triton", "miss", "a"),
        ("autotune", "miss", "a"),
        ("Triton", "miss", "b"),
        ("autotune", "hit", "b"),
        ("autotune", "miss", "mm"),
        ("Triton", "hit", "e"),
        ("Triton", "hit", "f"),
    ]
    assert found[1].time_taken_ns == 50_000


def test_the_profile_of_dynamic_shapes_hits_or_was_not_there(tmp_path: Path) -> None:
    missing = lookups(tmp_path, *[artifact("put_local_code_state")] * 2)
    (tmp_path / "b").mkdir()
    present = lookups(
        tmp_path / "b", artifact("get_local_code_state"), artifact("put_local_code_state")
    )

    assert states(missing) == [("PGO", "miss", "")]
    assert states(present) == [("PGO", "hit", "")]


def test_garbled_payloads_cost_the_details_alone(tmp_path: Path) -> None:
    (process,) = run_of(
        tmp_path,
        start(),
        record("artifact", {"name": "fx_graph_cache_miss"}, "0/0", '{"key": "f'),
        artifact("fx_graph_cache_hit", key=3, components={"a": 1}, time_saved_ns="soon"),
        record("artifact", {"name": "triton_kernel_info"}, "0/0", "[1]"),
        event("E", "inductor_compile", 310, cached_kernel_names="abc"),
        metrics(inductor_fx_local_cache_hit_count=-4, structured_logging_overhead_us="x"),
    ).processes

    assert states(process.lookups) == [("FX graph", "miss", ""), ("FX graph", "hit", "")]
    assert process.cache_hits == {"FX graph": 1}


def test_lines_are_summed_over_attempts_and_behind_breaks(tmp_path: Path) -> None:
    resumed = "torch_dynamo_resume_in_f_at_3"
    (process,) = run_of(
        tmp_path,
        start(),
        artifact("inspector_line_times", v=1, lines=[["m.py", 3, "f", 50], ["m.py", 4, "f", 5]]),
        artifact("inspector_line_times", v=1, lines=[["m.py", 3, resumed, 7]]),
        artifact("inspector_line_times", v=1, lines=[["m.py", 3]]),
        metrics(),
    ).processes

    assert [(item.line, item.name, item.time_ns) for item in process.traced_lines] == [
        (3, "f", 57),
        (4, "f", 5),
    ]
