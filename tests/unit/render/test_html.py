"""What the page is made of, without a browser."""

from pathlib import Path

import pytest

from inspector.render import html
from inspector.render.html import flames
from inspector.run.run import Run
from inspector.run.sources.recording import opened, read_run

RECORDING = Path("samples") / "graph_breaks" / "recording.zip"


@pytest.fixture(scope="module")
def run() -> Run:
    with opened(RECORDING) as recording:
        return read_run(recording, keep_spans=True)


def test_spans_are_nested_in_the_order_of_time(run: Run) -> None:
    (lane,) = flames(run)
    assert lane["title"] == "compilation"
    assert lane["left_out"] == 0
    assert (lane["begin"][0], lane["depth"][0]) == (0, 0)
    names = [lane["texts"][number] for number in lane["name"]]
    assert names[:2] == ["0/0 forward", "entire_frame_compile"]
    ends = [begin + length for begin, length in zip(lane["begin"], lane["length"], strict=True)]
    for number in range(1, len(names)):
        deeper = lane["depth"][number] - lane["depth"][number - 1]
        assert deeper <= 1
        if deeper == 1:
            # Both are rounded down.
            assert ends[number] <= ends[number - 1] + 1


def test_the_shortest_spans_are_left_out(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    (whole,) = flames(run)
    monkeypatch.setattr(html, "_MOST_SPANS", 20)
    (lane,) = flames(run)
    assert 0 < len(lane["name"]) <= 20
    assert lane["left_out"] == len(whole["name"]) - len(lane["name"])
    assert min(lane["length"]) >= sorted(whole["length"])[-21]
