"""Observes which implementation of an operation Inductor takes, and what it tried for that.

``AlgorithmSelectorCache`` (torch/_inductor/select_algorithm.py, 2.11 and 2.13) is asked for each
product, convolution or attention. What it chooses among may be decided much later, in the
scheduler, together with what is fused: a ``MultiTemplateBuffer`` then holds all candidates, and is
finalized as a Triton template; one that is never finalized becomes the fastest call of a library.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from inspector.capture.hooks import Called, Hooks, Outcome, timed
from inspector.capture.writer import emit, guarded
from inspector.records.autotuning import Autotuned, TriedCandidate, TriedTensor

# Of ExternKernelCaller, TritonTemplateCaller, SubgraphChoiceCaller, …
_CALLER = re.compile(r"(Kernel|Template|Choice)?Caller$")
_CHOICES_OF_TUNING = 5  # do_autotuning(self, name, input_nodes, layout, input_gen_fns, key, choices
NOT_RUN = "failed to run"
_MS_NS = 1_000_000


def timed_as(
    candidate: TriedCandidate, time_ms: object, otherwise: str = NOT_RUN
) -> TriedCandidate:
    """A candidate with a time in ms, as benchmarks give it: infinity stands for a failure."""
    if isinstance(time_ms, int | float) and 0 <= time_ms < math.inf:
        return dataclasses.replace(candidate, time_ns=round(time_ms * _MS_NS))
    return dataclasses.replace(candidate, time_ns=None, failed=candidate.failed or otherwise)


def fastest(candidates: Iterable[TriedCandidate]) -> int | None:
    """The place of the candidate with the least time, or None."""
    times = [(item.time_ns, at) for at, item in enumerate(candidates) if item.time_ns is not None]
    return min(times)[1] if times else None


@dataclasses.dataclass(slots=True, eq=False)
class _Draft:
    """An operation for which something is chosen.

    Attributes:
        tried: What is known of it before anything is timed.
        choices: Torch's own objects, one for each candidate.
        whole_ns: What measuring took, with waiting for candidates to be compiled.
    """

    tried: Autotuned
    candidates: list[TriedCandidate]
    choices: list[Any]
    graph: object
    how: str = "measured"
    chosen: int | None = None
    error: str = ""
    is_timed: bool = False
    benchmark_ns: int = 0
    whole_ns: int = 0

    def place(self, choice: object) -> int | None:
        return next((at for at, item in enumerate(self.choices) if item is choice), None)

    def take_times(self, timings: object, *, is_measured: bool) -> None:
        """Takes the time of each choice, in ms, unless they come later (pipelined)."""
        if not isinstance(timings, Mapping):
            return
        for choice, time_ms in timings.items():
            at = self.place(choice)
            if at is not None and (self.candidates[at].time_ns is None or is_measured):
                self.candidates[at] = timed_as(self.candidates[at], time_ms)
        for at, choice in enumerate(self.choices):
            if getattr(choice, "failed", False) and not self.candidates[at].failed:
                self.candidates[at] = dataclasses.replace(
                    self.candidates[at], failed="failed to compile"
                )
        self.is_timed = self.is_timed or bool(timings)
        if is_measured:
            self.how = "measured"
        elif self.is_timed and not self.benchmark_ns:
            self.how = "cached"

    def take_fastest(self, kind: str = "") -> None:
        """Chooses the fastest candidate, or the fastest of a kind; the default where none is."""
        best = fastest(
            item if item.kind.startswith(kind) else TriedCandidate() for item in self.candidates
        )
        self.chosen = self.tried.default if best is None else best

    def write(self) -> None:
        emit(
            dataclasses.replace(
                self.tried,
                how=self.how,
                chosen=self.chosen,
                candidates=tuple(self.candidates),
                error=self.error,
                benchmark_ns=self.benchmark_ns,
                compile_ns=max(0, self.whole_ns - self.benchmark_ns),
            )
        )


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
        self._write_late(self._deferred)

    def flush(self) -> None:
        """Writes what was decided in the scheduler: the code of a graph is there.

        A candidate can be a graph of its own, whose code is generated in between.
        """
        graph = _graph()
        self._write_late([draft for draft in self._deferred if draft.graph is graph])

    def _write_late(self, decided: Sequence[_Draft]) -> None:
        self._deferred = [draft for draft in self._deferred if draft not in decided]
        for draft in decided:
            if not draft.is_timed:
                draft.how = "fixed"
            if draft.chosen is None:  # no Triton template was finalized: it is a library's
                draft.take_fastest(kind="extern")
            draft.write()

    def _choose(self, called: Called) -> object:
        made: list[_Draft] = []
        guarded("read autotuning choices", lambda: made.extend(self._drafts(called)))
        if not made:
            return called.go()
        self._open += made
        try:
            return timed(
                called, "read the chosen kernel", lambda outcome: self._chosen(made[0], outcome)
            )
        finally:
            self._open.remove(made[0])

    def _drafts(self, called: Called) -> list[_Draft]:
        from torch._inductor.virtualized import V

        name, choices, inputs, layout = (
            called.argument(key, at)
            for at, key in enumerate(("name", "choices", "input_nodes", "layout"))
        )
        if len(choices) < 2 and not (self._config.max_autotune or self._config.max_autotune_gemm):  # noqa: PLR2004
            return []  # one candidate, without autotuning
        candidates = [_candidate(choice) for choice in choices]
        externs = (at for at, item in enumerate(candidates) if item.kind == "extern")
        node = getattr(V.graph, "current_node", None)
        tried = Autotuned(
            kind="template",
            name=str(name),
            default=next(externs, None),
            node=str(getattr(node, "name", "") or ""),
            target=str(getattr(node, "target", "") or ""),
            is_backward=bool(getattr(V.graph, "is_backward", False)),
            inputs=tuple(map(_tensor, inputs)),
            output=_tensor(layout),
        )
        return [_Draft(tried, candidates, list(choices), _graph())]

    def _chosen(self, draft: _Draft, outcome: Outcome) -> None:
        result, failure = outcome.result, outcome.failure
        choice = result[1] if isinstance(result, tuple) and len(result) == 2 else None  # noqa: PLR2004
        buffer = result[0] if isinstance(result, tuple) else result
        inner = getattr(getattr(buffer, "data", None), "data", None)
        if failure:
            draft.how, draft.error = "failed", failure
        elif type(inner).__name__ == "MultiTemplateBuffer":  # it is decided in the scheduler
            self._deferred.append(draft)
            return
        elif not draft.is_timed:
            draft.how = "only" if len(draft.choices) == 1 else "fixed"
        if not failure:
            draft.chosen = draft.place(choice)
            if draft.chosen is None:  # 2.11 does not say: it takes the fastest
                draft.take_fastest()
        if draft.chosen is None and len(draft.choices) == 1:
            draft.chosen = 0
        draft.write()

    def _of(self, choices: Any) -> _Draft | None:
        """The operation that these candidates, or some of them, are for."""
        first = next(iter(choices or ()), None)
        drafts = (*reversed(self._open), *self._deferred)
        return next((draft for draft in drafts if draft.place(first) is not None), None)

    def _timed(
        self, called: Called, choices: Any, then: Callable[[_Draft, Outcome], None]
    ) -> object:
        """Makes a call about candidates; `then` gets the operation and the outcome."""
        draft = self._of(choices)
        if draft is None:
            return called.go()
        return timed(called, "read candidate times", lambda outcome: then(draft, outcome))

    def _tune(self, called: Called) -> object:
        choices = called.argument("choices", _CHOICES_OF_TUNING)
        before = self._of(choices)
        measured_ns = before.benchmark_ns if before else 0

        def tuned(draft: _Draft, outcome: Outcome) -> None:
            draft.whole_ns += outcome.took_ns
            draft.take_times(outcome.result, is_measured=draft.benchmark_ns > measured_ns)

        return self._timed(called, choices, tuned)

    def _benchmark(self, called: Called) -> object:
        def benchmarked(draft: _Draft, outcome: Outcome) -> None:
            draft.benchmark_ns += outcome.took_ns

        return self._timed(called, called.argument("choices", 0), benchmarked)

    def _benchmark_choice(self, called: Called) -> object:
        choice = called.argument("choice", 0)

        def ended(draft: _Draft, outcome: Outcome) -> None:
            """The time itself comes with those of the others."""
            at, spent_ns = draft.place(choice) or 0, outcome.took_ns
            draft.candidates[at] = dataclasses.replace(
                draft.candidates[at], spent_ns=spent_ns, failed=outcome.failure
            )

        return self._timed(called, [choice], ended)

    def _wait(self, called: Called) -> object:
        """Waits for times, where they are measured while other graphs are lowered."""

        def waited(draft: _Draft, outcome: Outcome) -> None:
            draft.benchmark_ns += outcome.took_ns
            draft.take_times(outcome.result, is_measured=True)

        return self._timed(called, called.argument("choices", 0), waited)

    def _finalize(self, called: Called) -> object:
        result = called.go()

        def finalized() -> None:
            given = called.arguments[1]
            caller = given.get(None) if isinstance(given, Mapping) else given
            for draft in self._deferred:
                at = draft.place(caller)
                draft.chosen = draft.chosen if at is None else at

        guarded("read the finalized template", finalized)
        return result


def _candidate(choice: Any) -> TriedCandidate:
    choice = getattr(choice, "_wrapped", choice)  # with what prepares its arguments (C++)
    kind = _CALLER.sub("", type(choice).__name__).lower()
    text = str(getattr(choice, "description", "") or "")
    return TriedCandidate(name=str(getattr(choice, "name", "")), text=text, kind=kind)


def _graph() -> object:
    """The graph that code is generated for: that of a higher-order operator is part of another."""
    from torch._inductor.virtualized import V

    graph = V.graph
    while getattr(graph, "parent", None) is not None:
        graph = graph.parent
    return graph


def _tensor(node: Any) -> TriedTensor:
    sizes: Sequence[Any] = node.get_size() if hasattr(node, "get_size") else node.size
    dtype = node.get_dtype() if hasattr(node, "get_dtype") else node.dtype
    device = node.get_device() if hasattr(node, "get_device") else node.device
    shape = tuple(int(size) if str(size).isdigit() else str(size) for size in sizes)
    return TriedTensor(shape, str(dtype).removeprefix("torch."), str(device))
