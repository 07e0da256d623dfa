"""Reports on one kernel that no snapshot shows, and which kernel is meant."""

from typing import Any

import pytest

from inspector.cli.kernel_choice import benched, check_kernel_options
from inspector.errors import InspectorError, RecordingError, UsageError
from tests.unit.render.bench_reports import NAME, kernel_report, kernel_run
from tests.unit.render.bench_reports import benched as bench
from tests.unit.render.rendering import as_json, rendered


@pytest.mark.parametrize(
    "changes",
    [
        {"config": {"values": 4, "cold_ns": [1, "x", -3, 1e400]}},
        {"config": 7, "arguments": [None, {"size": [True]}], "places": [[1], "x", [1, 2]]},
        {"launches": [{}, {"count": 1e9}], "launch": -4},
        {"config": {}},
        None,
    ],
)
def test_damaged_benchmarks_are_rendered(changes: dict[str, Any] | None) -> None:
    found = kernel_report({"v": 1} if changes is None else bench(**changes))
    for name in ("terminal", "markdown"):
        assert rendered(found, name).endswith("\n")
    as_json(found)


MANY = [f"triton_red_fused_sum_{number}" for number in range(30)]
TIMED = ("cpp_fused_add_1", "cpp_fused_add_2")


@pytest.mark.parametrize(
    ("payload", "asked", "error", "next_step"),
    [
        ({"v": 1, "asked": "sum", "matching": MANY, "kernels": [*MANY, "triton_poi_2"]}, "sum",
         UsageError, f"Name one of them: {', '.join(MANY)}."),
        ({"v": 1, "asked": "poi_3", "matching": [], "kernels": ["triton_poi_2"]}, "poi_3",
         UsageError, "triton_poi_2"),
        (bench(), "softmax", RecordingError, f"It has timings of {NAME}. Record them: inspect"),
        (bench(), "cpp_", UsageError, f"Name one of them: {', '.join(TIMED)}."),
    ],
    ids=["of several", "of none", "not recorded", "timed in place"],
)  # fmt: skip
def test_a_name_that_is_no_kernel_s_leads_to_others(
    payload: dict[str, Any], asked: str, error: type[InspectorError], next_step: str
) -> None:
    with pytest.raises(error) as raised:
        benched(kernel_run(payload), asked, TIMED if asked == "cpp_" else ())
    assert next_step in raised.value.next_step


@pytest.mark.parametrize(
    ("given", "is_file", "said"),
    [({"counters": True}, False, "--counters"), ({}, True, "timeline")],
)
def test_what_is_of_all_kernels_is_refused_with_one(
    given: dict[str, object], said: str, *, is_file: bool
) -> None:
    with pytest.raises(UsageError, match=said):
        check_kernel_options({"kernel": "x", **given}, is_file=is_file)
    check_kernel_options({"kernel": "x"}, is_file=False)
