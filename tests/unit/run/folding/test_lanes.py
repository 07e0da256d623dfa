"""Spans side by side."""

import hypothesis
from hypothesis import strategies

from inspector.run.folding.cold_start import ColdStartDraft
from inspector.run.lanes import Lane
from inspector.trace.timing import ChromiumEvent


def lanes(*events: tuple[str, str, int, str]) -> tuple[Lane, ...]:
    draft = ColdStartDraft(keep_spans=True)
    for name, phase, time_ns, compile_id in events:
        draft.add_event(ChromiumEvent(name, phase, time_ns, 0, compile_id))
    return draft.lanes()


def test_a_span_whose_end_is_missing_says_so() -> None:
    (lane,) = lanes(("dynamo", "B", 0, "0/0"), ("pass.x", "B", 2, "0/0"), ("pass.x", "E", 9, "0/0"))

    assert [(span.name, span.end_ns, span.ended) for span in lane.spans()] == [
        ("dynamo", 9, False),
        ("pass.x", 9, True),
    ]


@hypothesis.given(
    strategies.lists(
        strategies.tuples(
            strategies.sampled_from(["dynamo", "pass.x", "compile_file"]),
            strategies.sampled_from("BE"),
            strategies.integers(0, 50),
            strategies.sampled_from(["0/0", "1/0", ""]),
        ),
        max_size=60,
    )
)
def test_in_a_lane_spans_are_apart_or_inside_of_each_other(
    events: list[tuple[str, str, int, str]],
) -> None:
    for lane in lanes(*events):
        opened: list[int] = []
        before = 0
        for span in lane.spans():
            assert before <= span.begin_ns <= span.end_ns
            before = span.begin_ns
            while opened and opened[-1] <= span.begin_ns:
                opened.pop()
            assert not opened or span.end_ns <= opened[-1]
            opened.append(span.end_ns)
