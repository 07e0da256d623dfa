"""More is to be compiled only where something is left that could be."""

from __future__ import annotations

import dataclasses

from inspector.features.profile.gains.gains import is_all_compiled
from inspector.features.profile.launch_timing import LaunchTiming
from inspector.features.profile.outside_lines import user_place
from inspector.records.device_profile import DeviceLaunch, LaunchPlace
from inspector.records.graph_breaks import SkippedFrame
from inspector.run.compilation import Frame
from inspector.run.kernel import NodeLine
from inspector.run.run import Process
from tests.unit.render.runs import (
    IN_FORWARD,
    MODEL,
    PRINT,
    SITE,
    break_at,
    compilation,
    process_of,
    run_of,
)

WHOLE = Frame(0, "forward", MODEL, 13, (compilation(0),))
OPERATOR = LaunchPlace(operator="aten::mm", frames=(f"{MODEL}(26): main",))
GRADIENT = LaunchPlace(operator="torch::autograd::AccumulateGrad", is_backward=True)


def is_all(process: Process, *places: LaunchPlace) -> bool:
    launches = [
        LaunchTiming(DeviceLaunch("cpu", item.operator, place=item), (), place=user_place(item))
        for item in places
    ]
    return is_all_compiled(run_of(process), process, launches)


def test_one_whole_graph_leaves_nothing_to_compile() -> None:
    assert is_all(process_of(WHOLE))
    assert is_all(process_of(WHOLE), GRADIENT)
    # A gradient that autograd keeps has its module's line, which is compiled all the same.
    kept = DeviceLaunch("cpu", GRADIENT.operator, place=GRADIENT)
    launches = [LaunchTiming(kept, (), place=NodeLine(kept.name, MODEL, 14, module="linear"))]
    assert is_all_compiled(run_of(process_of(WHOLE)), process_of(WHOLE), launches)
    around = LaunchTiming(DeviceLaunch("cpu", ""), (), place=user_place(OPERATOR), is_around=True)
    process = process_of(WHOLE)
    assert is_all_compiled(run_of(process), process, [around])
    module = Frame(0, "_call_impl", f"{SITE}/torch/nn/modules/module.py", 1770, (compilation(0),))
    assert is_all(process_of(module))  # a module with hooks


def test_breaks_skipped_frames_and_uncompiled_code_leave_something() -> None:
    broken = dataclasses.replace(WHOLE, compilations=(compilation(0, break_at(IN_FORWARD, PRINT)),))
    limited = dataclasses.replace(
        WHOLE, compilations=(compilation(0), compilation(0, hit_limit=True))
    )
    empty = dataclasses.replace(WHOLE, compilations=(compilation(0, has_guarded_code=False),))
    for frame in (broken, limited, empty, dataclasses.replace(WHOLE, first_line=9)):
        assert not is_all(process_of(frame))
    skipped = SkippedFrame(MODEL, 9, "helper", "a generator", "", is_entry=False, stack=())
    assert not is_all(process_of(WHOLE, skipped=(skipped,)))
    assert is_all(
        process_of(WHOLE, skipped=(dataclasses.replace(skipped, file=f"{SITE}/torch/x.py"),))
    )
    assert not is_all(process_of(WHOLE), OPERATOR)
    assert not is_all(process_of())
