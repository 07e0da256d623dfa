"""Reports on one kernel, out of a log written by hand, in every format."""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from markdown_it import MarkdownIt
from rich.cells import cell_len

from inspector import plugins
from inspector.commands.kernel_choice import benched, check_kernel_options, which_kernel
from inspector.errors import RecordingError, UsageError
from inspector.findings.graph_wording import TIMES
from inspector.findings.kernel_bench_report import KernelBenchReport, Rate, make_kernel_bench_report
from inspector.findings.profile_report import make_profile_report
from inspector.model.run import Run
from tests.unit.logs import record, run_of
from tests.unit.renderers import hostile

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = json.loads((ROOT / "docs" / "schema" / "kernel-bench-1.schema.json").read_text("utf-8"))
WIDTH = 80
NAME = "triton_red_fused_sum_3"
EXACT = {"is_exact": True, "is_correct": True, "largest": 0.0, "relative": 0.0, "tolerance": 0.0,
         "name": ""}  # fmt: skip
CEILINGS = {
    "v": 1, "device": "NVIDIA H200", "measured_at_s": 9, "state": {}, "cached": False,
    "ceilings": {"copy_bytes_per_s": 4e12, "l2_bytes_per_s": 8e12},
}  # fmt: skip


@pytest.fixture(autouse=True)
def _narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))


def times(median_ns: int, number: int = 105) -> list[int]:
    """Within one percent of the median."""
    return [median_ns + median_ns * (n % 21 - 10) // 1000 for n in range(number)]


def config(size: int, cold: int, **changes: Any) -> dict[str, Any]:
    return {
        "values": {"XBLOCK": 1, "R0_BLOCK": size}, "num_warps": 8, "num_stages": 1,
        "source": "search", "registers": 40, "spills": 0, "shared_bytes": 64, "error": "",
        "cold_ns": times(cold), "warm_ns": times(cold // 2), "difference": EXACT, **changes,
    }  # fmt: skip


def bench(**changes: Any) -> dict[str, Any]:
    """Of four launches in a call; 10 µs each, 12 cold, where the best found takes 9."""
    wrong = {**EXACT, "is_exact": False, "is_correct": False, "largest": 3.0, "relative": 0.5,
             "tolerance": 1e-5, "name": "out_ptr0"}  # fmt: skip
    configs = [
        config(1024, 12_000, source="chosen", final_cold_ns=times(12_000),
               final_warm_ns=times(6_000)),
        config(2048, 9_500, source="heuristics", final_cold_ns=times(9_000),
               final_warm_ns=times(5_000)),
        config(512, 10_000, source="descent", final_cold_ns=times(10_000),
               final_warm_ns=times(5_500)),
        config(4096, 5_000, difference=wrong),
        config(8192, 0, cold_ns=[], warm_ns=[], difference=None,
               error="OutOfResources: shared memory"),
    ]  # fmt: skip
    return {
        "v": 1, "asked": "sum", "name": NAME, "kind": "triton", "input": 0, "launch": 3,
        "launches": [{"count": 2, "time_ns": 900, "taken": False},
                     {"count": 4, "time_ns": 40_000, "taken": True}],
        "places": [["cabc", 12], ["cabc", 14]],
        "arguments": [
            {"name": "in_ptr0", "dtype": "float32", "size": [4, 2000], "stride": [2000, 1],
             "written": False},
            {"name": "out_ptr0", "dtype": "float32", "size": [4], "stride": [1], "written": True},
            {"name": "xnumel", "value": 4},
        ],
        "cache_bytes": 50_000_000, "flush_bytes": 100_000_000, "restored": [],
        "results": ["out_ptr0"], "repeats": EXACT, "configs": configs, "chosen": 0,
        "heuristics_best": 1, "autotuned": 2, "is_cut": False, "keeps_sizes": False,
        "heuristic": "reduction", "lookup": "ab12", "seconds": 4.5, **changes,
    }  # fmt: skip


def profile(device: str = "cuda") -> dict[str, Any]:
    launch = {"kind": "kernel", "name": NAME, "stream": 7, "grid": [8, 1, 1], "block": [128, 1, 1]}
    lines = (12, 14, 12, 14, 20)
    launches = [{**launch, "place": {"file": "cabc", "line": line}} for line in lines]
    spans = [[20_000 * n, 20_000 * n + 10_000] for n in range(len(lines))]
    return {
        "v": 1, "input": 0, "device": {"kind": device, "name": "NVIDIA H200"},
        "plain_ns": [150_000] * 30, "watched_ns": [150_000] * 30, "eager_ns": [],
        "launches": launches, "calls": [{"wall_ns": 150_000, "spans_ns": spans}] * 30,
    }  # fmt: skip


def run(
    tmp_path: Path, payload: dict[str, Any], *, profiled: bool = True, device: str = "cuda"
) -> Run:
    def artifact(name: str, fields: dict[str, Any]) -> bytes:
        head = {"name": f"inspector_{name}", "encoding": "json"}
        return record("artifact", head, payload=json.dumps(fields))

    records = [artifact("device_profile", profile(device))] if profiled else []
    return run_of(
        tmp_path, *records, artifact("kernel_bench", payload), artifact("ceilings", CEILINGS)
    )


def report(
    tmp_path: Path, payload: dict[str, Any], *, profiled: bool = True, device: str = "cuda"
) -> KernelBenchReport:
    found = run(tmp_path, payload, profiled=profiled, device=device)
    made = found.processes[0].kernel_bench
    assert made is not None
    return make_kernel_bench_report(make_profile_report(found), made)


def rendered(found: KernelBenchReport, name: str) -> str:
    stream = io.StringIO()
    plugins.load_renderer(name).render(found, stream)
    return stream.getvalue()


def as_json(found: KernelBenchReport) -> Any:
    made = json.loads(rendered(found, "json"))
    jsonschema.validate(made, SCHEMA)
    return made


def test_the_best_found_and_its_gain_come_first(tmp_path: Path) -> None:
    text = rendered(report(tmp_path, bench()), "terminal")
    words = " ".join(text.split())
    for part in (
        f"{NAME} · Triton, generated · reduction the best found is 1.33 times as fast as what",
        "chose (1.33 to 1.33; 5 configurations tried): XBLOCK=1, R0_BLOCK=2048, 8 warps, 1 stage.",
        # 3 µs each, in four launches of the two statements.
        f"for the whole model, estimated: 4 launches {TIMES} 3.00 µs = 12.0 µs of 150 µs per call",
        "(8.0%)",
        "coordinate_descent_tuning) would choose another, XBLOCK=1, R0_BLOCK=512, 8 warps,",
        "1 stage: 1.20 times as fast",
        "in place 4 launches like this take 40.0 µs of 150 µs per call (26.7%)",
        "cold L2 12.0 µs 2.7 GB/s (<1% of memory's bandwidth)",
        "nearer to in place",
        "chosen by Inductor · 40 registers, 0 spills, 64 B shared · same bits",
        "R0_BLOCK=4096, 8 warps, 1 stage: WRONG: out_ptr0 is off by 3, 0.5 of an element",
        "failed: OutOfResources: shared memory",
        'autotune_lookup_table["ab12"] =',
        "a call launches it 6 times with 2 kinds of arguments",
    ):
        assert part in words, part
    assert max(map(cell_len, text.splitlines())) <= WIDTH
    assert text.index("R0_BLOCK=2048") < text.index("XBLOCK=1, R0_BLOCK=1024")


def test_a_wrong_configuration_is_never_the_best(tmp_path: Path) -> None:
    made = as_json(report(tmp_path, bench()))
    by_size = {row["values"]["R0_BLOCK"]: row for row in made["configs"]}
    assert by_size[4096]["times_as_fast"] > by_size[2048]["times_as_fast"]
    assert [size for size, row in by_size.items() if row["best"]] == [2048]
    assert by_size[2048]["second_run"]
    assert by_size[2048]["gain_of_call_ns"] == pytest.approx(12_000)
    assert by_size[2048]["times_as_fast_interval"][0] > 1
    assert [row["values"]["R0_BLOCK"] for row in made["configs"]][-2:] == [4096, 8192]
    assert made["in_place"]["launches"] == 4
    assert made["in_place"]["median_ns"] == 10_000


def test_what_is_within_noise_is_no_difference(tmp_path: Path) -> None:
    # Rounds differ by more than the configurations, which take the same times in another order.
    rounds = [11_990 + 40 * (7 * n % 10) for n in range(10)]
    one, other = ([time for time in order for _ in range(10)] for order in (rounds, rounds[::-1]))
    same = [
        config(1024, 12_000, source="chosen", cold_ns=one, warm_ns=one),
        config(2048, 11_980, source="heuristics", cold_ns=other, warm_ns=other),
    ]
    text = rendered(report(tmp_path, bench(configs=same, autotuned=0)), "terminal")
    words = " ".join(text.split())
    assert "no difference beyond noise to what Inductor chose: of 2 configurations none" in words
    assert "would choose what is chosen now" in words
    assert f"=1.00{TIMES} XBLOCK=1, R0_BLOCK=2048" in words
    assert "for the whole model" not in words
    assert "autotune_lookup_table" not in words


def in_rounds(*medians: int) -> list[int]:
    """Ten launches of each of ten rounds."""
    return [median for n in range(10) for median in [medians[n % len(medians)]] * 10]


def test_what_is_no_faster_when_timed_again_is_not_the_best(tmp_path: Path) -> None:
    # In the search the second was much faster; beside the chosen one it is 0.99 times as fast, with
    # 1 in the interval. Its median of all launches is smaller nevertheless.
    chosen_ns = in_rounds(10_000, 10_010, 10_020)
    other_ns = in_rounds(9_990, 9_990, 10_400)
    lucky = [
        config(1024, 12_000, source="chosen", final_cold_ns=chosen_ns, final_warm_ns=chosen_ns),
        config(2048, 9_000, final_cold_ns=other_ns, final_warm_ns=other_ns),
        config(512, 8_000),  # the fastest of the search, and not timed again
    ]
    found = report(tmp_path, bench(configs=lucky, autotuned=1))
    made = as_json(found)
    by_size = {row["values"]["R0_BLOCK"]: row for row in made["configs"]}
    low, high = by_size[2048]["times_as_fast_interval"]
    assert low < 1 < high
    assert by_size[2048]["times_as_fast"] < 1
    assert [size for size, row in by_size.items() if row["best"]] == [1024]
    assert made["to_run_it_so"] is None
    for name in ("terminal", "markdown"):
        words = " ".join(rendered(found, name).replace("\\", "").replace("`", "").split())
        assert (
            "no difference beyond noise to what Inductor chose: of 3 configurations none" in words
        )
        assert f"(the nearest, timed in turns with it: 0.990{TIMES}, 0.969 to 1.012)" in words
        assert f"~1.50{TIMES}" in words
        assert "would choose another, XBLOCK=1, R0_BLOCK=2048, 8 warps, 1 stage: no faster" in words
        assert "chosen by Inductor · nothing better found" in words
        assert "for the whole model" not in words


def test_the_best_is_what_is_surely_faster(tmp_path: Path) -> None:
    # The first has the smaller median, and one round in three in which it is much slower.
    chosen_ns, sure = in_rounds(10_000, 10_010), in_rounds(9_600, 9_610)
    wild = in_rounds(9_000, 9_000, 14_000)
    unlike = [
        config(1024, 10_000, source="chosen", final_cold_ns=chosen_ns, final_warm_ns=chosen_ns),
        config(2048, 9_000, final_cold_ns=wild, final_warm_ns=wild),
        config(512, 9_600, final_cold_ns=sure, final_warm_ns=sure),
    ]
    found = report(tmp_path, bench(configs=unlike, autotuned=1))
    made = as_json(found)
    (best,) = [row for row in made["configs"] if row["best"]]
    assert best["values"]["R0_BLOCK"] == 512
    assert best["gain_of_launch_ns"] == pytest.approx(400, rel=0.01)
    words = " ".join(rendered(found, "terminal").split())
    assert "the best found is 1.042 times as fast as what Inductor chose (1.04" in words
    assert 'autotune_lookup_table["ab12"]' in words


def test_what_autotuning_would_make_slower_says_so(tmp_path: Path) -> None:
    chosen_ns, slower = in_rounds(10_000, 10_010), in_rounds(12_500, 12_510)
    both = [
        config(1024, 10_000, source="chosen", final_cold_ns=chosen_ns, final_warm_ns=chosen_ns),
        config(2048, 9_000, final_cold_ns=slower, final_warm_ns=slower),
    ]
    words = " ".join(
        rendered(report(tmp_path, bench(configs=both, autotuned=1)), "terminal").split()
    )
    assert "1 stage: 0.80 times as fast (0.80 to 0.80)" in words


def test_without_times_of_the_chosen_nothing_is_best(tmp_path: Path) -> None:
    untimed = [
        config(1024, 0, cold_ns=[], warm_ns=[], source="chosen", error="out of memory"),
        config(2048, 9_000),
    ]
    found = report(tmp_path, bench(configs=untimed, autotuned=1))
    assert not any(row["best"] for row in as_json(found)["configs"])
    words = " ".join(rendered(found, "terminal").split())
    assert "none is faster" not in words
    assert "best found" not in words


def test_gains_are_by_the_times_that_are_nearer_to_those_in_place(tmp_path: Path) -> None:
    # In place it takes 10 µs: now that is what a warm launch takes.
    warm = [
        config(1024, 30_000, warm_ns=times(10_000), source="chosen"),
        config(2048, 20_000, warm_ns=times(11_000), source="search"),
    ]
    made = as_json(report(tmp_path, bench(configs=warm, autotuned=1)))
    assert made["nearer_to_in_place"] == "warm"
    assert [row["values"]["R0_BLOCK"] for row in made["configs"] if row["best"]] == [1024]


def test_small_rates_have_digits(tmp_path: Path) -> None:
    rates = ("cold", Rate("flops", 0.63e9, 5e13, "float32_flops_per_s")), ("cold", Rate(
        "bytes", 1.5e6, 4e12, "copy_bytes_per_s"))  # fmt: skip
    found = dataclasses.replace(report(tmp_path, bench()), rates=rates)
    for name in ("terminal", "markdown"):
        words = " ".join(rendered(found, name).replace("\\<", "<").split())
        assert "0.63 GFLOP/s (<1% of float32 peak)" in words
        assert "1.5 MB/s (<1% of memory's bandwidth)" in words


def test_without_a_profile_there_is_no_gain_for_the_model(tmp_path: Path) -> None:
    found = report(tmp_path, bench(), profiled=False)
    assert as_json(found)["in_place"] is None
    words = " ".join(rendered(found, "terminal").split())
    assert "the best found is 1.33 times as fast" in words
    assert "could not be told" in words
    assert "for the whole model" not in words


def test_what_was_not_timed_says_why(tmp_path: Path) -> None:
    found = report(tmp_path, {"v": 1, "asked": "sum", "name": NAME, "kind": "triton",
                              "missing": "it is launched 2 times in a call"})  # fmt: skip
    for name in ("terminal", "markdown"):
        assert "it was not timed alone: it is launched 2 times" in rendered(found, name)
    assert as_json(found)["configs"] == []


@pytest.mark.parametrize(
    ("kind", "device", "said"),
    [
        ("library", "cuda", "tries Triton's templates in its place"),
        ("library", "cpu", "tries C++ templates, with TORCHINDUCTOR_FREEZING=1, in its place"),
        ("cpp", "cpu", "torch.set_num_threads"),
    ],
)
def test_what_has_no_configurations_says_so(
    tmp_path: Path, kind: str, device: str, said: str
) -> None:
    alone = bench(kind=kind, configs=[config(1, 9_000, source="chosen", values={})])
    del alone["heuristic"]
    words = " ".join(rendered(report(tmp_path, alone, device=device), "terminal").split())
    assert said in words
    assert "Configurations" not in words


def test_markdown_is_tables(tmp_path: Path) -> None:
    text = rendered(report(tmp_path, bench()), "markdown")
    for head in ("| configuration | cold | warm |", "|  | time |  |", "| argument |  |"):
        assert head in text
    assert "\n\n\n" not in text


@pytest.mark.parametrize(
    "changes",
    [
        {"configs": [{}, 3, {"values": 4, "cold_ns": [1, "x", -3, 1e400]}], "chosen": 99},
        {"configs": 7, "arguments": [None, {"size": [True]}], "places": [[1], "x", [1, 2]]},
        {"chosen": -1, "autotuned": "x", "launches": [{}, {"count": 1e9}], "launch": -4},
        {"repeats": {"largest": "nan", "relative": 10**400, "tolerance": None}, "seconds": "NaN"},
        {"configs": [config(1, 5, difference={"is_correct": "yes", "largest": float("nan")})]},
        {"configs": []},
    ],
)
def test_damaged_benchmarks_are_rendered(tmp_path: Path, changes: dict[str, Any]) -> None:
    found = report(tmp_path, bench(**changes))
    for name in ("terminal", "markdown"):
        assert rendered(found, name).endswith("\n")
    as_json(found)


def test_an_empty_benchmark_is_rendered(tmp_path: Path) -> None:
    found = report(tmp_path, {"v": 1})
    for name in ("terminal", "markdown"):
        assert rendered(found, name).endswith("\n")
    as_json(found)


def test_names_stay_text(tmp_path: Path) -> None:
    odd = bench(
        name=hostile.TEXT,
        heuristic=hostile.TEXT,
        lookup=hostile.TEXT,
        not_searched=hostile.TEXT,
        arguments=[{"name": hostile.TEXT, "dtype": hostile.TEXT, "size": [2]}],
        configs=[config(1, 900, values={hostile.TEXT: hostile.TEXT}, error=hostile.TEXT)],
    )
    found = report(tmp_path, odd)
    page = MarkdownIt("commonmark").enable("table").render(rendered(found, "markdown"))
    assert "<script" not in page
    text = rendered(found, "terminal")
    assert not set(text) & {"\x1b", "\x9b", "\r", "\x07"}
    as_json(found)


def test_a_name_of_several_kernels_is_refused_with_their_names(tmp_path: Path) -> None:
    names = ["triton_red_fused_sum_1", "triton_red_fused_sum_3", "triton_poi_2"]
    several = {"v": 1, "asked": "sum", "matching": names[:2], "kernels": names}
    with pytest.raises(UsageError, match="in the names of 2 kernels") as raised:
        benched(run(tmp_path, several), "sum")
    assert "triton_red_fused_sum_1, triton_red_fused_sum_3" in raised.value.next_step
    many = [f"triton_red_fused_sum_{number}" for number in range(30)]
    said = which_kernel("sum", many, [*many, "triton_poi_2"])
    assert said.next_step == f"Name one of them: {', '.join(many)}."
    none = {"v": 1, "asked": "triton_poi_3", "matching": [], "kernels": names}
    (tmp_path / "other").mkdir()
    with pytest.raises(UsageError, match="no kernel 'triton_poi_3'") as raised:
        benched(run(tmp_path / "other", none), "triton_poi_3")
    assert "triton_poi_2" in raised.value.next_step


def test_a_recording_without_it_says_how_to_record_it(tmp_path: Path) -> None:
    recorded = run(tmp_path, bench())
    assert benched(recorded, "fused_sum").name == NAME
    with pytest.raises(RecordingError, match="no times of 'softmax'") as raised:
        benched(recorded, "softmax")
    assert NAME in raised.value.next_step
    timed = ("cpp_fused_add_1", "cpp_fused_add_2")
    with pytest.raises(UsageError, match="in the names of 2 kernels") as ambiguous:
        benched(recorded, "cpp_", timed)
    assert ambiguous.value.next_step == f"Name one of them: {', '.join(timed)}."


def test_the_command_that_shows_the_whole_model_comes_last(tmp_path: Path) -> None:
    made = run(tmp_path, bench())
    benchmark = made.processes[0].kernel_bench
    assert benchmark is not None
    for place, command in (("", "inspect profile"), ("kept/a b", "inspect profile 'kept/a b'")):
        profiled = make_profile_report(dataclasses.replace(made, place=place))
        found = make_kernel_bench_report(profiled, benchmark)
        last = rendered(found, "terminal").splitlines()[-1]
        assert last == f"next: {command}  (the profile of the whole model)"
        assert f"The profile of the whole model:\n\n```sh\n{command}\n```" in rendered(
            found, "markdown"
        )
        assert as_json(found)["next_steps"] == [command]


def test_without_a_profile_no_command_shows_one(tmp_path: Path) -> None:
    found = report(tmp_path, bench(), profiled=False)
    assert as_json(found)["next_steps"] == []
    assert "next:" not in rendered(found, "terminal")


def test_options_that_need_a_kernel_are_refused_without_one() -> None:
    for name in ("configs", "launch"):
        with pytest.raises(UsageError, match="needs a kernel"):
            check_kernel_options({name: 1}, counters=False, is_file=False)
    with pytest.raises(UsageError, match="--counters"):
        check_kernel_options({"kernel": "x"}, counters=True, is_file=False)
    with pytest.raises(UsageError, match="picture"):
        check_kernel_options({"kernel": "x"}, counters=False, is_file=True)
    check_kernel_options({"kernel": "x", "configs": True}, counters=False, is_file=False)
