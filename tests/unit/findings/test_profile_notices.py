"""What is said about how calls were measured."""

from __future__ import annotations

import dataclasses

from inspector.findings.profile_notices import (
    approximate_notice,
    input_notices,
    measured_notices,
    unseen_notice,
)
from inspector.findings.profile_rows import line_rows
from inspector.findings.profile_wording import (
    call_title,
    gain_lines,
    idle_parts,
    more_gains,
    verdict_lines,
)
from inspector.findings.profiled import Profiled
from inspector.findings.slowdown_wording import slowdown_rows
from inspector.model.kernel import Call, GraphCode, Kernel
from inspector.profiles.budget import make_budget
from inspector.profiles.gain import Gain
from inspector.profiles.kernel_timing import kernel_timings
from inspector.profiles.launch_timing import LaunchTiming
from inspector.profiles.outside_lines import user_place
from inspector.records.device_profile import (
    DeviceLaunch,
    DeviceProfile,
    FailedCall,
    LaunchPlace,
    ProfiledCall,
)
from tests.unit.fusions import Kernel as Scheduled
from tests.unit.fusions import fusion, graph, node
from tests.unit.profiles.test_budget import PROFILE, in_blocks


def notices(profile: DeviceProfile) -> list[str]:
    return list(measured_notices(profile, make_budget(profile)))


def profiled(profile: DeviceProfile) -> Profiled:
    times = [LaunchTiming(item, ((0, 50),)) for item in profile.launches]
    work = tuple(kernel_timings(times, None, 0))
    return Profiled(profile, make_budget(profile), work, {}, {}, {}, {}, ())


def test_nothing_is_said_where_nothing_is_amiss() -> None:
    assert notices(in_blocks([[100]] * 20, [[200]] * 20)) == []
    assert notices(PROFILE) == []  # older recordings say nothing of blocks


def test_what_failed_is_said() -> None:
    failed = dataclasses.replace(PROFILE, error=FailedCall("watched", 7, "RuntimeError: boom."))
    (said,) = notices(failed)
    assert said == (
        "the 7th call under the profiler failed (RuntimeError: boom); what was measured until then "
        "is shown"
    )
    for number, text in ((1, "1st"), (2, "2nd"), (3, "3rd"), (11, "11th"), (21, "21st")):
        error = FailedCall("plain", number, "E")
        (said,) = notices(dataclasses.replace(PROFILE, error=error))
        assert said.startswith(f"the {text} unwatched call failed (E)")
    (said,) = notices(dataclasses.replace(PROFILE, error=FailedCall("", 0, "Rank 0 is gone.")))
    assert said == "Rank 0 is gone; what was measured until then is shown"


def test_without_watched_calls_nothing_is_said_of_the_gpu() -> None:
    empty = dataclasses.replace(PROFILE, launches=(), calls=(), watched_ns=(), idle_ns={})
    assert not any("the GPU works" in line for line in verdict_lines(profiled(empty)))
    assert idle_parts(profiled(empty)) == []


def test_few_calls_are_said_to_be_few() -> None:
    (said,) = notices(in_blocks([[100]] * 3, [[200]] * 3))
    assert said.startswith("only 3 calls could be timed")


def test_launches_without_a_counterpart_are_said() -> None:
    (said,) = notices(dataclasses.replace(PROFILE, unmatched=1))
    assert said.startswith("1 of 2 launches of a call were not found")


def test_causes_of_a_slow_call_are_approximate() -> None:
    slow = dataclasses.replace(PROFILE, explained_ns=131)
    said = approximate_notice([make_budget(slow), make_budget(PROFILE)])
    assert "approximate" in said
    assert "1.31 times as long" in said
    slower = make_budget(dataclasses.replace(PROFILE, explained_ns=150))
    assert "1.31 to 1.50 times" in approximate_notice([slower, make_budget(slow)])
    assert approximate_notice([make_budget(PROFILE)]) == ""
    assert call_title(profiled(slow)) != call_title(profiled(PROFILE)) == "A call"


def test_a_call_near_the_bound_says_that_another_run_may_differ() -> None:
    below = dataclasses.replace(PROFILE, explained_ns=112, explained_calls_ns=(108, 112, 119))
    assert approximate_notice([make_budget(below)]) == (
        "the call whose host was watched took 1.12 times as long; such calls took 1.08 to 1.19 "
        "times as long, and from 1.15 on the causes are called approximate: another run may say "
        "otherwise"
    )
    assert call_title(profiled(below)) == "A call"
    above = dataclasses.replace(PROFILE, explained_ns=118, explained_calls_ns=(111, 118, 140))
    said = approximate_notice([make_budget(above)])
    assert said.startswith("why the GPU had nothing to do is approximate")
    assert said.endswith(
        "took 1.18 times as long, and its causes are scaled to the idle time of an unwatched one, "
        "so that they add up; such calls took 1.11 to 1.40 times as long, and from 1.15 on the "
        "causes are called approximate: another run may say otherwise"
    )
    for times in ((101, 104, 114), (118, 120, 131)):  # all on one side
        clear = dataclasses.replace(PROFILE, explained_ns=times[1], explained_calls_ns=times)
        assert "otherwise" not in approximate_notice([make_budget(clear)])


def test_what_the_profiler_adds_has_its_interval() -> None:
    def slowed(*rounds: int) -> list[str]:
        times = tuple(time_ns for each in rounds for time_ns in (each,) * 3)
        quiet = in_blocks([[1000] * 3] * 10, [[2000] * 3] * 10)
        found = profiled(dataclasses.replace(quiet, watched_ns=times))
        return [text for text in input_notices(found) if "the profiler made" in text]

    (clear,) = slowed(*(1300, 1310) * 5)
    assert clear.startswith("the profiler made calls 1.30 times as long (1.30 to 1.31); kernels")
    near = "this is said from 1.15 on, so that the next run may not say it"
    for rounds in ((1100, 1190) * 5, (1120, 1170) * 5):  # just below 1.15 in the middle
        (said,) = slowed(*rounds)
        assert "1.14 times as long" in said
        assert said.endswith(near)
    assert "(1.13 to 1.16)" in slowed(*(1120, 1170) * 5)[0]
    assert near not in clear
    assert slowed(*(1100, 1110) * 5) == []
    assert slowed(*(600, 1600) * 5) == []  # noise alone, perhaps faster


def test_what_leads_to_no_line_is_named() -> None:
    def at(name: str, *frames: str) -> DeviceLaunch:
        return DeviceLaunch("cpu", name, place=LaunchPlace(operator=name, frames=frames))

    launches = (
        at("aten::mm", "/p/model.py(4): forward"),
        at("aten::_foreach_add_"),
        at("torch::autograd::AccumulateGrad"),
    )
    call = ProfiledCall(1000, ((0, 500), (500, 700), (700, 800)))
    profile = dataclasses.replace(
        PROFILE, device={"kind": "cpu"}, launches=launches, calls=(call,) * 3, plain_ns=(1000,)
    )
    works = [LaunchTiming(item, ((begin, end),) * 3, place=user_place(item.place))
             for item, (begin, end) in zip(launches, call.spans_ns, strict=True)]  # fmt: skip
    found = dataclasses.replace(profiled(profile), work=tuple(kernel_timings(works, None, 0)))
    (said,) = [text for text in input_notices(found) if "joined" in text]
    assert said == (
        "50.0% of the time could not be joined to a line: 20.0% what is outside of statements and "
        "operators, 20.0% aten._foreach_add_, 10.0% gradients that autograd adds up"
    )


def test_several_gpus_are_said_and_each_has_its_time() -> None:
    launches = (DeviceLaunch("kernel", "a"), DeviceLaunch("kernel", "b", device=1))
    call = ProfiledCall(120_000, ((10_000, 30_000), (20_000, 60_000)))
    profile = dataclasses.replace(PROFILE, launches=launches, calls=(call,), plain_ns=(100_000,))
    (said,) = notices(profile)
    assert said.startswith("2 GPUs were used")
    assert "any of the GPUs works 50% of a call (cuda:0 20 µs, cuda:1 40 µs, of 100 µs)" in list(
        verdict_lines(profiled(profile))
    )


def test_the_ratio_has_its_interval_and_says_when_it_is_unstable() -> None:
    moved = in_blocks([[100_000], [100_000], [120_000]], [[200_000], [201_000], [240_000]])
    first = list(verdict_lines(profiled(moved)))[1]
    assert first.startswith(
        "2.00 times as fast as eager PyTorch (213 µs → 106 µs per call; 1.99 to"
    )
    assert first.endswith("; unstable: equal calls differ by 20%)")
    slower = in_blocks([[200], [201], [200]], [[100], [100], [100]])
    first = list(verdict_lines(profiled(slower)))[1]
    assert first.startswith("2.00 times as slow")
    assert first.endswith("1.99 to 2.02)")


NOISE = in_blocks([[100], [900], [100], [5000]], [[200], [100], [9000], [300]])


def test_noise_leaves_what_needs_no_time() -> None:
    found = profiled(NOISE)
    said = list(verdict_lines(found))
    assert said[-1].startswith("equal calls differ too much for advice by time: measure again")

    broken = dataclasses.replace(found, breaks=("model.py:3", "model.py:9"))
    assert list(verdict_lines(broken))[-1] == (
        "graphs break at model.py:3, model.py:9, which costs time in any case: `inspect explain` "
        "says how to mend that"
    )


def test_noise_on_both_sides_of_one_is_no_equality() -> None:
    said = " ".join(verdict_lines(profiled(NOISE)))
    assert "too noisy to compare with eager PyTorch: equal calls vary by 90" in said
    assert "no difference" not in said


def test_equal_calls_that_vary_by_more_than_compiled_and_eager_ones_are_noise() -> None:
    compiled = [[150_000], [140_000], [170_000], [145_000], [160_000], [140_000]]
    eager = [[100_000], [101_000], [99_000], [100_000], [105_000], [108_000]]
    first = list(verdict_lines(profiled(in_blocks(compiled, eager))))[1]
    assert first.startswith("1.47 times as slow as eager PyTorch")
    eager[0], eager[3] = [140_000], [80_000]  # the same ratio, on a noisy host
    found = profiled(in_blocks(compiled, eager))
    said = list(verdict_lines(found))
    begin = "too noisy to compare with eager PyTorch: equal calls vary by 1.8"
    assert said[1].startswith(begin)
    assert said[1].endswith(" (104 µs → 150 µs per call)")
    assert not any("slow" in line or "fast" in line for line in said)
    assert slowdown_rows(found) == []


def test_of_eager_calls_beside_eager_ones_noise_is_no_lead() -> None:
    noisy = in_blocks([[100], [300], [150], [200]], [[2000], [9000], [2400], [5000]])
    found = profiled(noisy)
    compiled = " ".join(verdict_lines(dataclasses.replace(found, graphs=1)))
    assert "faster than eager PyTorch, but by how much is too noisy to say" in compiled
    eager = " ".join(verdict_lines(found))
    assert "no compiled graph ran" in eager
    assert "too noisy to say how it compares with eager PyTorch" in eager


def test_where_nothing_is_compiled_it_is_said_where_dynamo_gives_up() -> None:
    still = in_blocks([[100_000]] * 3, [[100_000]] * 3)
    gain = Gain("the program's own code runs", 9_000, "compile more of it", is_hidden=False)
    found = dataclasses.replace(profiled(still), breaks=("model.py:15",), gains=(gain,))
    said = " ".join(verdict_lines(found))
    assert "all of this is eager PyTorch, as Dynamo gives up at model.py:15; `inspect" in said
    assert "what compiling would win is not known" in said
    assert "largest gain" not in said
    compiled = " ".join(verdict_lines(dataclasses.replace(found, graphs=1)))
    assert "the next largest gain" in compiled


def test_graphs_whose_kernels_did_not_run_are_not_said_to_have_none() -> None:
    found = dataclasses.replace(profiled(NOISE), graphs=9)
    inductor = " ".join(verdict_lines(dataclasses.replace(found, backend="inductor")))
    assert "9 graphs of Inductor, and none of its kernels ran in these calls" in inductor
    assert "nothing generated" not in inductor
    other = " ".join(verdict_lines(dataclasses.replace(found, backend="aot_eager")))
    assert "9 graphs of the backend aot_eager: nothing generated its kernels" in other


def test_unstable_times_say_by_how_much_they_differ() -> None:
    moved = in_blocks([[100_000], [100_000], [120_000]], [[200_000], [201_000], [240_000]])
    assert "equal calls differ by 20%)" in " ".join(verdict_lines(profiled(moved)))
    far = in_blocks([[100], [100], [290]], [[2000], [2000], [5800]])
    assert "equal calls take up to 2.9 times as long" in " ".join(verdict_lines(profiled(far)))


def test_rounds_that_are_left_out_are_told() -> None:
    odd = in_blocks([[1800], *([[100]] * 5)], [[2000], *([[200]] * 5)])
    found = profiled(odd)
    (said,) = [item for item in measured_notices(odd, found.budget) if "left out" in item]
    assert said.startswith("1 of 6 rounds of calls took 13 times as long as usual, and is left out")


def test_an_interruption_is_no_failed_call() -> None:
    ended = dataclasses.replace(PROFILE, error=FailedCall("watched", 25, "KeyboardInterrupt"))
    (said,) = [
        item for item in measured_notices(ended, make_budget(ended)) if "interrupted" in item
    ]
    assert said.startswith("it was interrupted at the 25th call under the profiler; what was")


def test_gains_that_are_left_out_are_counted() -> None:
    gains = tuple(Gain(f"{number}", 10.0, "less") for number in range(8))
    found = dataclasses.replace(profiled(PROFILE), gains=gains)
    shown = list(gain_lines(found))
    assert more_gains(found) == f"… {8 - len(shown)} more in the JSON report (--format json)"
    assert more_gains(dataclasses.replace(found, gains=gains[: len(shown)])) == ""
    assert more_gains(dataclasses.replace(profiled(NOISE), gains=gains)) == ""


def test_on_the_cpu_what_no_statement_accounts_for_has_a_row() -> None:
    calls = tuple(
        dataclasses.replace(call, wall_ns=340 + n) for n, call in enumerate(PROFILE.calls)
    )
    found = profiled(dataclasses.replace(PROFILE, device={"kind": "cpu"}, calls=calls))
    # Of 340 and 341 ns the spans, which are 40 and 41 long, leave 300.
    assert (found.work_ns, found.outside_ns) == (100, 300)
    assert [(name, share) for name, _, share, _ in line_rows(found)] == [
        ("(outside of statements and operators)", 0.75),
        ("(no line known)", 0.25),
    ]
    assert profiled(PROFILE).outside_ns == 0


def test_graphs_of_which_nothing_ran_are_named() -> None:
    kernel = Kernel.__new__(Kernel)  # it is not looked into
    code = GraphCode("0/0", "inference", "", (kernel,), (Call("kernel", "k", 3),), "/c/abc.py")
    other = dataclasses.replace(code, compile_id="1/0", file="/c/def.py")
    again = dataclasses.replace(code, compile_id="2/0")  # an equal graph's, out of a cache
    seen = LaunchTiming(DeviceLaunch("kernel", "a"), ((0, 1),), code=code)
    assert unseen_notice([code, again], [], [seen]) == ""
    assert unseen_notice([dataclasses.replace(code, kernels=())], [], []) == ""
    assert unseen_notice([code, other], [], [seen]) == (
        "1 graph has kernels of which none was seen in a call: 1/0 (inference); no warm call "
        "reached their code, or it could not be marked"
    )


def test_code_that_is_not_python_is_named() -> None:
    x = node("x", "")
    relu = node("relu", "aten.relu.default", "x", at=3)
    scheduled = fusion(graph(x, relu), Scheduled("k", ("relu",), {"x": 1}, {"b": 1}))
    code = GraphCode(scheduled.compile_id, scheduled.direction, "", (), ())
    said = unseen_notice([code], [scheduled], [])
    assert "is not Python (`cpp_wrapper`)" in said
    assert unseen_notice([code], [], []) == ""  # it has nothing to run
