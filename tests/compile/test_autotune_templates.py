"""What is watched of the choice among templates, which on a GPU is made in the scheduler."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import torch
from torch._inductor import ir
from torch._inductor.select_algorithm import AlgorithmSelectorCache
from torch._inductor.virtualized import V

from inspector.capture.autotuning import templates
from inspector.capture.autotuning.templates import TemplateObserver
from inspector.records.autotuning import Autotuned, TriedTensor

LAYOUT = types.SimpleNamespace(size=[8, 8], dtype=torch.bfloat16, device=torch.device("cpu"))
INPUT = types.SimpleNamespace(
    get_size=lambda: [8, 8], get_dtype=lambda: torch.bfloat16, get_device=lambda: "cuda:0"
)
_FAILURES = ("no", "out of shared memory\nwhatever")


class ExternKernelCaller:
    """A library's."""

    def __init__(self, name: str) -> None:
        self.name, self.description, self.failed = name, "", False


class TritonTemplateCaller(ExternKernelCaller):
    """A template."""


class MultiTemplateBuffer:
    """What holds all candidates until one is taken."""


class Selector:
    """Torch's functions as far as they are watched, with times that are given."""

    def __init__(self, times: Mapping[str, object]) -> None:
        self.times = times
        self.cached: dict[str, dict[Any, float]] = {}

    def __call__(
        self, name: str, choices: Any, input_nodes: Any, layout: Any, **options: Any
    ) -> object:
        assert input_nodes
        assert layout
        if options.get("deferred"):
            return types.SimpleNamespace(data=types.SimpleNamespace(data=MultiTemplateBuffer()))
        if len(choices) == 1:
            return "node", choices[0]
        timings = type(self).do_autotuning(self, name, input_nodes, layout, None, "", choices, None)
        return ("node", min(timings, key=timings.__getitem__)) if "new" in name else "node"

    def do_autotuning(self, name: str, *given: Any) -> Any:
        choices = given[4]
        if name not in self.cached:
            self.cached[name] = type(self).benchmark(self, choices)
        timings = self.cached[name]
        if all(time == float("inf") for time in timings.values()):
            message = "No choices to select\nand more"
            raise RuntimeError(message)
        return timings

    def benchmark(self, choices: Any) -> Any:
        timings = {}
        for choice in choices:
            try:
                timings[choice] = type(self).benchmark_choice(choice, self.times)
            except ValueError:
                timings[choice] = float("inf")
        return timings

    @classmethod
    def benchmark_choice(cls, choice: Any, times: Any) -> Any:
        time = times[choice.name]
        if time in _FAILURES:
            raise ValueError(time)
        return time


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[Autotuned]:
    found: list[Autotuned] = []
    monkeypatch.setattr(templates, "emit", found.append)
    return found


@pytest.fixture
def observer(monkeypatch: pytest.MonkeyPatch) -> Iterator[TemplateObserver]:
    """Ours, on a class of our own in place of torch's."""
    assert callable(AlgorithmSelectorCache.do_autotuning)  # what is stood in for is there
    monkeypatch.setattr("torch._inductor.select_algorithm.AlgorithmSelectorCache", Selector)
    finalize = "finalize_as_triton_caller"
    assert callable(getattr(ir.MultiTemplateBuffer, finalize))
    monkeypatch.setattr(ir.MultiTemplateBuffer, finalize, lambda _self, _caller: None)
    watching = TemplateObserver()
    watching.watch()
    with V.set_graph_handler(graph()):
        yield watching
    watching.release()


def graph(**fields: object) -> Any:
    node = types.SimpleNamespace(name="mm_1", target="aten.mm.default")
    return types.SimpleNamespace(current_node=node, is_backward=True, **fields)


def choices() -> list[Any]:
    return [ExternKernelCaller("mm"), TritonTemplateCaller("a"), TritonTemplateCaller("b")]


def test_what_was_timed_and_taken(written: list[Autotuned], observer: TemplateObserver) -> None:
    assert observer
    selector = Selector({"mm": 0.2, "a": 0.1, "b": "out of shared memory\nwhatever"})
    taken = choices()
    assert selector("mm", taken, [INPUT], LAYOUT) == "node"  # 2.11: no choice is given back
    assert selector("mm", taken, [INPUT], LAYOUT) == "node"
    first, second = written
    assert (first.name, first.node, first.is_backward) == ("mm", "mm_1", True)
    assert (first.how, first.chosen, first.default) == ("measured", 1, 0)
    assert first.inputs == (TriedTensor((8, 8), "bfloat16", "cuda:0"),)
    times = [item.time_ns for item in first.candidates]
    assert times == [200_000, 100_000, None]
    assert first.candidates[2].failed == "ValueError: out of shared memory"
    assert [item.kind for item in first.candidates] == ["extern", "triton", "triton"]
    assert first.benchmark_ns > 0
    assert (second.how, second.chosen, second.benchmark_ns) == ("cached", 1, 0)


@pytest.mark.parametrize("fused", [None, 2])
def test_what_the_scheduler_decides_is_written_with_its_code(
    written: list[Autotuned], observer: TemplateObserver, fused: int | None
) -> None:
    """Nobody says that a library is taken; a template that is fused need not be the fastest."""
    selector = Selector({"mm": 0.15, "a": 0.1, "b": 0.2})
    taken = choices()
    selector("mm", taken, [INPUT], LAYOUT, deferred=True)
    assert not written
    selector.do_autotuning("mm", [INPUT], LAYOUT, None, "", taken, None)
    if fused is not None:
        ir.MultiTemplateBuffer.finalize_as_triton_caller(object(), taken[fused])
    outer = V.graph
    with V.set_graph_handler(graph()):
        observer.flush()  # the code of a candidate that is a graph of its own
        assert not written
    with V.set_graph_handler(graph(parent=outer)):
        observer.flush()
    (found,) = written
    assert (found.how, found.chosen) == ("measured", 0 if fused is None else fused)
    observer.flush()
    observer.release()
    assert len(written) == 1


def test_a_choice_that_fails_does_so_all_the_same(
    written: list[Autotuned], observer: TemplateObserver
) -> None:
    assert observer
    selector = Selector(dict.fromkeys(("mm", "a", "b"), "no"))
    with pytest.raises(RuntimeError, match="No choices"):
        selector("mm", choices(), [INPUT], LAYOUT)
    (found,) = written
    assert (found.how, found.chosen) == ("failed", None)
    assert found.error == "RuntimeError: No choices to select"
    assert all(item.failed for item in found.candidates)
