"""What happened when settings of torch were tried, each in a process of its own."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from inspector.events.trial import OutputsCompared
from inspector.model.request import Setting

__all__ = ["Candidate", "Measured", "Trial", "Tried", "Verification"]


@dataclasses.dataclass(frozen=True, slots=True)
class Candidate:
    """Something that may help, and can be tried without changing the source.

    Attributes:
        settings: What is set.
        gb_ids: Torch's ids of the recorded graph breaks that it could remove; empty where it is
            about something else.
        caution: What else it changes, in one sentence, or an empty string.
    """

    settings: tuple[Setting, ...]
    gb_ids: tuple[str, ...] = ()
    caution: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Measured:
    """What one process of ``--verify`` came to.

    Attributes:
        graphs: Graphs of the first calls.
        graph_breaks: Records of graph breaks of the first calls.
        distinct_graph_breaks: Their sites.
        recompiles: Recompilations, those of later calls too.
        compile_time_ns: The time of all compilations.
        warm_call_ns: Median wall time of a warm round (one call with each input), or None.
        least_warm_call_ns: That of the fastest round, or None.
        outputs: What it gave against the first process, or None.
        compilations: Compilations of any function, first ones and later calls' too.
    """

    graphs: int
    graph_breaks: int
    distinct_graph_breaks: int
    recompiles: int
    compile_time_ns: int
    warm_call_ns: int | None
    least_warm_call_ns: int | None
    outputs: OutputsCompared | None
    compilations: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class Trial:
    """One candidate, tried.

    Attributes:
        candidate: What was tried.
        measured: What came of it, or None where it failed.
        failure: Why it did, in one sentence, or an empty string.
        removed: Fingerprints of the findings that are gone with it.
        added: How many findings there are with it that were not there without.
        helps: Whether there are fewer graph breaks, graphs or recompilations with it, and the
            outputs stay equal as far as that is known.
        recompiles: Of each removed finding of a recompilation, how often its function was compiled
            again without it, and how often with it: of several findings of one function, what is
            gone of the one can be what the other has become.
    """

    candidate: Candidate
    measured: Measured | None
    failure: str = ""
    removed: tuple[str, ...] = ()
    added: int = 0
    helps: bool = False
    recompiles: Mapping[str, tuple[int, int]] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, slots=True)
class Tried:
    """What a trial says about one finding that it removes.

    Attributes:
        settings: What was set.
        outputs_equal: Whether the outputs stayed equal; None where that is not known.
        recompiles: How often the function was compiled again before and after, where the finding is
            a recompilation.
    """

    settings: tuple[Setting, ...]
    outputs_equal: bool | None
    recompiles: tuple[int, int] | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Verification:
    """Everything that was tried.

    Attributes:
        backend: The backend of all of them; empty where the file compiles its model itself.
        baseline: The target as it is; None where nothing was tried.
        trials: What was tried, in order; the last one may be all that helped together.
        deterministic: Whether two processes without any setting gave equal outputs; None where that
            is not known.
        left_out: Settings that would have been tried, and that this torch does not have.
        not_tried: Why nothing, or not everything, was tried, in one sentence, or an empty string.
    """

    backend: str = ""
    baseline: Measured | None = None
    trials: tuple[Trial, ...] = ()
    deterministic: bool | None = None
    left_out: tuple[str, ...] = ()
    not_tried: str = ""
