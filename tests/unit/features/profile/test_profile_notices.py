"""What is said about how calls were measured."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.features.graph.wording import TIMES
from inspector.features.profile.budget import make_budget
from inspector.features.profile.gain import Gain
from inspector.features.profile.kernel_timing import kernel_timings
from inspector.features.profile.launch_timing import LaunchTiming
from inspector.features.profile.notices import limit_notice, measured_notices
from inspector.features.profile.profiled import Profiled
from inspector.features.profile.rows import line_rows
from inspector.features.profile.wording import verdict_lines
from inspector.records.device_profile import DeviceLaunch, DeviceProfile, FailedCall, ProfiledCall
from inspector.run.compilation import Frame
from tests.unit.features.profile.test_budget import PROFILE, in_blocks
from tests.unit.render.runs import MODEL, compilation, process_of, run_of


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
        "the 7th call under the profiler failed (RuntimeError: boom); measurements so far are shown"
    )
    for number, text in ((1, "1st"), (2, "2nd"), (3, "3rd"), (11, "11th"), (21, "21st")):
        error = FailedCall("plain", number, "E")
        (said,) = notices(dataclasses.replace(PROFILE, error=error))
        assert said.startswith(f"the {text} unwatched call failed (E)")
    (said,) = notices(dataclasses.replace(PROFILE, error=FailedCall("", 0, "Rank 0 is gone.")))
    assert said == "Rank 0 is gone; measurements so far are shown"


def test_several_gpus_are_said_and_each_has_its_time() -> None:
    launches = (DeviceLaunch("kernel", "a"), DeviceLaunch("kernel", "b", device=1))
    call = ProfiledCall(120_000, ((10_000, 30_000), (20_000, 60_000)))
    profile = dataclasses.replace(PROFILE, launches=launches, calls=(call,), plain_ns=(100_000,))
    (said,) = notices(profile)
    assert said.startswith("2 GPUs were used")
    assert "GPUs busy 50% of the call (cuda:0 20 µs, cuda:1 40 µs, of 100 µs)" in list(
        verdict_lines(profiled(profile))
    )


@pytest.mark.parametrize(
    ("compiled", "eager", "verdict"),
    [
        ((100, 100, 120), (200, 201, 240), "faster than eager: 213 µs → 106 µs per call (1.99"),
        ((100, 100, 120), (200, 201, 240), "; timings vary by 20%)"),
        ((200, 201, 200), (100, 100, 100), "slower than eager: 100 µs → 200 µs per call (1.99"),
        ((99, 101, 100), (101, 99, 100), "No measurable difference from eager: 100 µs → 100 µs"),
        ((100, 300, 150, 200), (2000, 9000, 2400, 5000), "Faster than eager, by an uncertain"),
        ((100, 900, 100, 5000), (200, 100, 9000, 300), "Timings vary by 90"),
    ],
)  # fmt: skip
def test_compiled_and_eager_calls_are_compared(
    compiled: tuple[int, ...], eager: tuple[int, ...], verdict: str
) -> None:
    rounds = ([[1_000 * us] for us in times] for times in (compiled, eager))
    (_, line, *_) = verdict_lines(dataclasses.replace(profiled(in_blocks(*rounds)), graphs=1))
    assert verdict in line


def test_equal_calls_that_vary_by_more_than_compiled_and_eager_ones_are_noise() -> None:
    compiled = [[150_000], [140_000], [170_000], [145_000], [160_000], [140_000]]
    eager = [[100_000], [101_000], [99_000], [100_000], [105_000], [108_000]]
    first = list(verdict_lines(profiled(in_blocks(compiled, eager))))[1]
    assert first.startswith(f"1.47{TIMES} slower than eager")
    eager[0], eager[3] = [140_000], [80_000]  # the same ratio, on a noisy host
    found = profiled(in_blocks(compiled, eager))
    said = list(verdict_lines(found))
    assert said[1].startswith("Timings vary by 1.8")
    assert said[1].endswith(" (104 µs → 150 µs per call)")
    assert not any("slow" in line or "fast" in line for line in said)


def test_where_nothing_is_compiled_it_is_said_where_dynamo_gives_up() -> None:
    still = in_blocks([[100_000]] * 3, [[100_000]] * 3)
    gain = Gain("the program's own code runs", 9_000, "compile more of it", is_hidden=False)
    found = dataclasses.replace(profiled(still), breaks=("model.py:15",), gains=(gain,))
    said = " ".join(verdict_lines(found))
    assert "this is eager PyTorch; Dynamo gives up at model.py:15. Run `inspect" in said
    assert "Largest opportunity" not in said
    compiled = " ".join(verdict_lines(dataclasses.replace(found, graphs=1)))
    assert "Largest opportunity" in compiled


def test_on_the_cpu_what_no_statement_accounts_for_has_a_row() -> None:
    calls = tuple(
        dataclasses.replace(call, wall_ns=340 + n) for n, call in enumerate(PROFILE.calls)
    )
    found = profiled(dataclasses.replace(PROFILE, device={"kind": "cpu"}, calls=calls))
    # Of 340 and 341 ns the spans, which are 40 and 41 long, leave 300.
    assert (found.work_ns, found.outside_ns) == (100, 300)
    assert [(name, share) for name, _, share, _ in line_rows(found)] == [
        ("(outside generated statements and operators)", 0.75),
        ("(unknown line)", 0.25),
    ]
    assert profiled(PROFILE).outside_ns == 0


LIMITED = Frame(0, "forward", MODEL, 13, (compilation(0), compilation(0, hit_limit=True)))


def test_what_hit_the_limit_is_said_by_its_line() -> None:
    said = limit_notice(run_of(process_of(LIMITED)))
    assert said.startswith("the code at model.py:13 hit the recompile limit, so it")
    assert "inspect explain" in said
    other = dataclasses.replace(LIMITED, first_line=20)
    said = limit_notice(run_of(process_of(LIMITED, other, LIMITED)))
    assert "model.py:13, model.py:20 hit the" in said
    assert "they run eagerly" in said
