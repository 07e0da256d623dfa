from __future__ import annotations

from pathlib import Path

from inspector.features.guards.levers import Lever, lever_blocks, levers_of
from inspector.records.recompiles import GuardLevers, LeverTrial
from inspector.report.page import Items, Lines
from inspector.run.sources.recording import opened, read_run

TRACE = Path(__file__).parents[2] / "data" / "guards" / "torch_2_13.log"
FILTER = "guard_filter_fn=skip_guard_on_all_nn_modules_unsafe"
FIRST, LAST = (LeverTrial("", time_ns, compilations=2) for time_ns in (20_000, 21_000))


def levers(*trials: LeverTrial) -> dict[str, Lever]:
    with opened(TRACE) as recording:
        process = read_run(recording).processes[0]
    found = levers_of(process.with_records(GuardLevers((FIRST, *trials, LAST))))
    return {lever.name: lever for lever in found}


def test_what_is_saved_is_the_difference_to_the_faster_of_two_without() -> None:
    (lever,) = levers(LeverTrial(FILTER, 5_000, compilations=2)).values()
    assert (lever.saved_ns, lever.noise_ns, lever.broken) == (15_000, 1_000, "")


def test_a_default_is_measured_by_turning_it_off() -> None:
    trial = LeverTrial("skip_nnmodule_hook_guards=False", 30_000, compilations=2)
    (lever,) = levers(trial).values()
    assert (lever.is_default, lever.saved_ns, lever.guards_ns) == (True, 10_000, 20_000)


def test_compilations_and_outputs_show_that_an_assumption_is_broken() -> None:
    found = levers(
        LeverTrial(FILTER, 5_000, compilations=1),
        LeverTrial("install_free_tensors", 19_000, compilations=2, difference="output 1 differs"),
    )
    assert found["skip_guard_on_all_nn_modules_unsafe"].broken == (
        "1 compilation with this setting, 2 with all guards"
    )
    assert found["install_free_tensors"].broken == "output 1 differs"


def test_the_largest_saving_is_shown_if_it_holds() -> None:
    broken = LeverTrial("guard_filter_fn=skip_all_guards_unsafe", 0, compilations=1)
    failed = LeverTrial("use_recursive_dict_tags_for_guards", error="KeyError: 1")
    found = levers(LeverTrial(FILTER, 5_000, compilations=2), broken, failed)
    items, best = lever_blocks(tuple(found.values()))
    assert isinstance(items, Items)
    assert isinstance(best, Lines)
    first, second, third = items.items
    assert first.startswith("skip_guard_on_all_nn_modules_unsafe: 15 µs; assumes no attribute")
    assert first.endswith("(holds in these calls)")
    assert second == "use_recursive_dict_tags_for_guards: failed, KeyError: 1"
    assert third.endswith("(violated here: 1 compilation with this setting, 2 with all guards)")
    assert "skip_guard_on_all_nn_modules_unsafe" in best.lines[0]
