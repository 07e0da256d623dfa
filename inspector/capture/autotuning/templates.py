"""Observes which implementation of an operation Inductor takes, and what it tried for that.

``AlgorithmSelectorCache`` (torch/_inductor/select_algorithm.py, 2.11 and 2.13) is asked for each
product, convolution or attention. What it chooses among may be decided much later, in the
scheduler, together with what is fused: a ``MultiTemplateBuffer`` then holds all candidates, and is
told which Triton template it becomes; one that is never told becomes the fastest call of a library.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inspector.capture.autotuning.tried import Candidate, Tried
from inspector.capture.hooks import Called, Hooks, Outcome, timed
from inspector.capture.writer import guarded
from inspector.records.autotuning import TriedTensor

_KINDS = {
    "ExternKernelCaller": "extern",
    "TritonTemplateCaller": "triton",
    "CppTemplateCaller": "cpp",
    "CUTLASSTemplateCaller": "cutlass",
    "CUDATemplateCaller": "cutlass",
    "ROCmTemplateCaller": "rocm",
    "SubgraphChoiceCaller": "subgraph",
    "CuteDSLTemplateCaller": "cutedsl",
    "NVUniversalGemmCaller": "nv_universal_gemm",
}
_S_NS = 1_000_000_000
_CHOICES_OF_TUNING = 5  # do_autotuning(self, name, input_nodes, layout, input_gen_fns, key, choices


@dataclasses.dataclass(slots=True, eq=False)
class _Draft:
    """An operation for which something is chosen.

    Attributes:
        choices: Torch's own objects, one for each candidate.
        graph: The graph that is being lowered, or the one that it is part of.
        is_deferred: It is decided in the scheduler.
        is_timed: There are times, measured or out of a cache.
        whole_ns: What measuring took, with waiting for candidates to be compiled.
    """

    tried: Tried
    choices: list[Any]
    graph: object
    is_deferred: bool = False
    is_timed: bool = False
    benchmark_ns: int = 0
    whole_ns: int = 0

    def place(self, choice: object) -> int | None:
        """Which candidate a choice is, or None."""
        return next((at for at, item in enumerate(self.choices) if item is choice), None)


class TemplateObserver(Hooks):
    """Keeps what was tried for each operation, and writes it once it is decided."""

    def __init__(self) -> None:
        super().__init__()
        self._deferred: list[_Draft] = []
        self._open: list[_Draft] = []
        self._config: Any = None

    def watch(self) -> None:
        """Begins to observe: Inductor has been imported."""
        from torch._inductor import autotune_process, config, ir, select_algorithm

        owner = select_algorithm.AlgorithmSelectorCache
        self._config = config
        self.put(owner, "__call__", self._choose)
        self.put(owner, "do_autotuning", self._tune)
        self.put(owner, "benchmark", self._benchmark)
        self.put(owner, "benchmark_choice", self._benchmark_choice)
        if hasattr(autotune_process, "AsyncAutotuner"):
            self.put(autotune_process.AsyncAutotuner, "get_results", self._wait)
        self.put(ir.MultiTemplateBuffer, "finalize_as_triton_caller", self._finalize)
        self.put(ir.MultiTemplateBuffer, "finalize_as_triton_callers", self._finalize)

    def release(self) -> None:
        """Ends observing."""
        super().release()
        deferred, self._deferred = self._deferred, []
        _write_late(deferred)

    def flush(self) -> None:
        """Writes what was decided in the scheduler: the code of a graph is there.

        A candidate can be a graph of its own, whose code is generated in between.
        """
        graph = _graph()
        decided = [draft for draft in self._deferred if draft.graph is graph]
        self._deferred = [draft for draft in self._deferred if draft.graph is not graph]
        _write_late(decided)

    def _choose(self, called: Called) -> object:
        made: list[_Draft] = []
        guarded("what can be chosen", lambda: made.extend(self._drafts(called)))
        if not made:
            return called.go()
        self._open += made
        try:
            return timed(called, "what was chosen", lambda outcome: self._chosen(made[0], outcome))
        finally:
            self._open.remove(made[0])

    def _drafts(self, called: Called) -> list[_Draft]:
        name, choices, inputs, layout = (
            called.argument(key, at)
            for at, key in enumerate(("name", "choices", "input_nodes", "layout"))
        )
        if len(choices) < 2 and not (self._config.max_autotune or self._config.max_autotune_gemm):  # noqa: PLR2004
            return []  # one candidate, and nobody asked for others
        tried = Tried("template", str(name), [_candidate(choice) for choice in choices])
        tried.default = next(
            (at for at, item in enumerate(tried.candidates) if item.kind == "extern"), None
        )
        tried.fields = _place() | {"inputs": tuple(map(_tensor, inputs)),
                                   "output": _tensor(layout)}  # fmt: skip
        return [_Draft(tried, list(choices), _graph())]

    def _chosen(self, draft: _Draft, outcome: Outcome) -> None:
        tried, result, failure = draft.tried, outcome.result, outcome.failure
        choice = result[1] if isinstance(result, tuple) and len(result) == 2 else None  # noqa: PLR2004
        buffer = result[0] if isinstance(result, tuple) else result
        inner = getattr(getattr(buffer, "data", None), "data", None)
        draft.is_deferred = type(inner).__name__ == "MultiTemplateBuffer"
        if failure:
            tried.how, tried.fields["error"] = "failed", failure
        elif draft.is_deferred:
            self._deferred.append(draft)
            return
        elif not draft.is_timed:
            tried.how = "only" if len(draft.choices) == 1 else "fixed"
        if not failure:
            tried.chosen = draft.place(choice)
            if tried.chosen is None:  # 2.11 does not say: it takes the fastest
                fastest = tried.fastest()
                tried.chosen = tried.default if fastest is None else fastest
        if tried.chosen is None and len(draft.choices) == 1:
            tried.chosen = 0
        _write(draft)

    def _tune(self, called: Called) -> object:
        draft = self._of(called.argument("choices", _CHOICES_OF_TUNING))
        begun_ns = time.perf_counter_ns()
        measured_ns = draft.benchmark_ns if draft else 0
        compiled: dict[Any, float] = {}
        saver = _saver(called.owner, compiled)
        try:
            timings = called.go()
        finally:
            _take_away(called.owner, saver)
            if draft is not None:
                draft.whole_ns += time.perf_counter_ns() - begun_ns
        if draft is not None:
            is_measured = draft.benchmark_ns > measured_ns
            guarded("times of candidates",
                    lambda: _timed(draft, timings, compiled, is_measured=is_measured))  # fmt: skip
        return timings

    def _benchmark(self, called: Called) -> object:
        draft = self._of(called.argument("choices", 0))
        begun_ns = time.perf_counter_ns()
        try:
            return called.go()
        finally:
            if draft is not None:
                draft.benchmark_ns += time.perf_counter_ns() - begun_ns
                guarded("where candidates run", lambda: _note_processes(draft))

    def _benchmark_choice(self, called: Called) -> object:
        candidate = self._candidate(called.argument("choice", 0))
        if candidate is None:
            return called.go()
        return timed(called, "a candidate", candidate.ended)

    def _wait(self, called: Called) -> object:
        """Waits for times, where they are measured while other graphs are lowered."""
        draft = self._of(called.argument("choices", 0))
        if draft is None:
            return called.go()

        def waited(outcome: Outcome) -> None:
            draft.benchmark_ns += outcome.took_ns
            draft.tried.fields["in_processes"] = True
            _timed(draft, outcome.result, {}, is_measured=True)

        return timed(called, "times that were waited for", waited)

    def _finalize(self, called: Called) -> object:
        result = called.go()
        given = next(iter((*called.args, *called.kwargs.values())), None)
        guarded("what became of a template", lambda: self._finalized(given))
        return result

    def _finalized(self, given: object) -> None:
        caller = given.get(None) if isinstance(given, Mapping) else given
        for draft in self._deferred:
            at = draft.place(caller)
            if at is not None:
                draft.tried.chosen = at

    def _of(self, choices: Any) -> _Draft | None:  # noqa: ANN401
        """The operation that these candidates, or some of them, are for."""
        first = next(iter(choices or ()), None)
        if first is None:
            return None
        drafts = (*reversed(self._open), *self._deferred)
        return next((draft for draft in drafts if draft.place(first) is not None), None)

    def _candidate(self, choice: object) -> Candidate | None:
        draft = self._of([choice] if choice is not None else [])
        at = draft.place(choice) if draft is not None else None
        return draft.tried.candidates[at] if draft is not None and at is not None else None


def _saver(owner: Any, compiled: dict[Any, float]) -> Callable[..., None]:  # noqa: ANN401
    """Has torch say what candidates took to compile, where it knows (`add_feedback_saver`)."""

    def save(*given: object) -> None:
        last = given[-1] if given else None
        if isinstance(last, Mapping):
            compiled.update(last)

    guarded("ask for times of compiling", lambda: owner.add_feedback_saver(save))
    return save


def _take_away(owner: Any, saver: Callable[..., None]) -> None:  # noqa: ANN401
    savers = getattr(owner, "feedback_saver_fns", None)
    if isinstance(savers, list) and saver in savers:
        savers.remove(saver)


def _candidate(choice: Any) -> Candidate:  # noqa: ANN401
    choice = getattr(choice, "_wrapped", choice)  # with what prepares its arguments (C++)
    kind = _KINDS.get(type(choice).__name__, type(choice).__name__)
    text = str(getattr(choice, "description", "") or "")
    return Candidate(name=str(getattr(choice, "name", "")), text=text, kind=kind)


def _timed(
    draft: _Draft,
    timings: object,
    compiled: Mapping[Any, float],
    *,
    is_measured: bool,
) -> None:
    if not isinstance(timings, Mapping):
        return  # pipelined: they come later
    for choice, time_ms in timings.items():
        at = draft.place(choice)
        if at is not None and (draft.tried.candidates[at].time_ns is None or is_measured):
            draft.tried.candidates[at].timed(time_ms)
            seconds = compiled.get(choice)
            if isinstance(seconds, int | float) and math.isfinite(seconds):
                draft.tried.candidates[at].compile_ns = round(seconds * _S_NS)
    for choice, candidate in zip(draft.choices, draft.tried.candidates, strict=True):
        if getattr(choice, "failed", False) and not candidate.failed:
            candidate.failed = "it could not be compiled"
    draft.is_timed = draft.is_timed or bool(timings)
    if is_measured:
        draft.tried.how = "measured"
    elif draft.is_timed and not draft.benchmark_ns:
        draft.tried.how = "cached"


def _graph() -> object:
    """The graph that code is generated for: that of a higher-order operator is part of another."""
    from torch._inductor.virtualized import V

    graph = V.graph
    while getattr(graph, "parent", None) is not None:
        graph = graph.parent
    return graph


def _write_late(drafts: Sequence[_Draft]) -> None:
    for draft in drafts:
        _decide_late(draft)
        _write(draft)


def _decide_late(draft: _Draft) -> None:
    """What the scheduler decided; a Triton template said so (`_finalized`)."""
    tried = draft.tried
    tried.fields["is_deferred"] = True
    if not draft.is_timed:
        tried.how = "fixed"
    if tried.chosen is None:
        externs = [at for at, item in enumerate(tried.candidates) if item.kind == "extern"]
        timed = [at for at in externs if tried.candidates[at].time_ns is not None]
        tried.chosen = min(
            timed, key=lambda at: tried.candidates[at].time_ns or 0, default=tried.default
        )


def _write(draft: _Draft) -> None:
    draft.tried.fields["benchmark_ns"] = draft.benchmark_ns
    draft.tried.fields["compile_ns"] = max(0, draft.whole_ns - draft.benchmark_ns)
    draft.tried.write()


def _note_processes(draft: _Draft) -> None:
    from torch._inductor import config

    draft.tried.fields["in_processes"] = bool(config.autotune_in_subproc)


def _place() -> dict[str, object]:
    """Which node of the graph is being lowered."""
    from torch._inductor.virtualized import V

    node = getattr(V.graph, "current_node", None)
    return {
        "node": str(getattr(node, "name", "") or ""),
        "target": str(getattr(node, "target", "") or ""),
        "is_backward": bool(getattr(V.graph, "is_backward", False)),
    }


def _tensor(node: Any) -> TriedTensor:  # noqa: ANN401
    sizes: Sequence[Any] = node.get_size() if hasattr(node, "get_size") else node.size
    dtype = node.get_dtype() if hasattr(node, "get_dtype") else node.dtype
    device = node.get_device() if hasattr(node, "get_device") else node.device
    shape = tuple(int(size) if str(size).isdigit() else str(size) for size in sizes)
    return TriedTensor(shape, str(dtype).removeprefix("torch."), str(device))
