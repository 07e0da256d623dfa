"""What goes to a start's process, and what stands in a recording of a warm-up."""

from __future__ import annotations

from inspector.shared.bench import Setting, Workload
from inspector.shared.variation import Assignment
from inspector.shared.warmup import (
    Loading,
    StartEnd,
    WarmupCall,
    WarmupCheck,
    WarmupPlan,
    WarmupRequest,
)

PLAN = WarmupPlan(
    target="model.py",
    setting=Setting("inductor", "max-autotune", dynamic=True),
    workload=Workload(dtype="bf16"),
    job="warmup-0",
    batches=(1, 8),
    variations=((Assignment("x", 0, 4), Assignment("n", None, 2)),),
    loading=Loading("/home/user/model.py", "model", ("/home/user",), "model"),
    check=WarmupCheck(loaded=True, later=(WarmupCall(0, 5, 0), WarmupCall(1, 7, 2))),
    ends=(StartEnd("cold", "it ended"),),
)


def test_a_plan_is_read_as_it_was_written() -> None:
    assert WarmupPlan.from_json(PLAN.to_json()) == PLAN


def test_a_check_passes_where_nothing_compiled_after_the_plan() -> None:
    call = WarmupCall(0, 5, 0)
    assert WarmupCheck(later=(call,)).is_passed
    assert not WarmupCheck(later=()).is_passed
    assert not WarmupCheck("it ended", later=(call,)).is_passed
    assert PLAN.check is not None
    assert not PLAN.check.is_passed
    assert PLAN.check.compiled_later == (1,)


def test_a_request_is_read_as_it_was_written() -> None:
    request = WarmupRequest("artifact", "recording", PLAN)
    assert WarmupRequest.from_json(request.to_json()) == request
    assert not request.worker.eager
    assert request.worker.request.no_grad
