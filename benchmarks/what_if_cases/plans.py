"""What Hypothesis draws: a program, the calls before, and one change of what one was given."""

from __future__ import annotations

import dataclasses
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from benchmarks.what_if_cases.programs import FEATURES, Feature, Kind, used_lines


@dataclasses.dataclass(frozen=True)
class Plan:
    """A case before it is run.

    Attributes:
        feature: What changes in the end.
        used: The lines of the program by feature.
        calls: What each of the earlier calls is given.
        history: What is different in each but the first, as text.
        changed: After each call, what it was given with one change. The change is made of the last
            call that compiled, and which one that is nobody knows before it is run.
    """

    feature: Feature
    used: dict[str, str]
    calls: tuple[dict[str, Any], ...]
    history: tuple[str, ...]
    changed: tuple[dict[str, Any], ...]


@st.composite
def _plan(draw: st.DrawFn, kind: Kind) -> Plan:
    feature = draw(st.sampled_from([item for item in FEATURES if kind in item.others]))
    values = {item.name: item.first for item in FEATURES}
    used = used_lines(draw, feature)
    calls, history = [values], []
    for _ in range(draw(st.integers(0, 3))):
        # Half of the earlier changes are of the feature that changes in the end.
        which = (
            feature
            if draw(st.booleans())
            else draw(st.sampled_from([item for item in FEATURES if item.others]))
        )
        how = draw(st.sampled_from(list(which.others)))
        values = {**values, which.name: which.others[how](draw, values[which.name])}
        calls.append(values)
        history.append(f"{which.name}={values[which.name]!r}")
    other = feature.others[kind]
    changed = [{**call, feature.name: other(draw, call[feature.name])} for call in calls]
    return Plan(feature, used, tuple(calls), tuple(history), tuple(changed))


def plans(kind: Kind, count: int, number: int) -> list[Plan]:
    """Draws cases of one kind, the same ones for the same number."""
    found: list[Plan] = []

    # They are run later, all in one process: nothing fails here, and nothing is kept between runs.
    @seed(number)
    @settings(
        max_examples=count, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(plan=_plan(kind))
    def draw_plans(plan: Plan) -> None:
        found.append(plan)

    draw_plans()
    return found
