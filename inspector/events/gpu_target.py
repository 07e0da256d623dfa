"""Our artifact about a GPU that is not there: for what code was generated, and what is open."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Self

from inspector.events.envelope import Envelope


@dataclasses.dataclass(frozen=True, slots=True)
class MeasuredDecision:
    """A decision for which torch measures on the device.

    Attributes:
        what: ``padding``, ``template`` or ``fusion``.
        detail: What it is about, as torch identifies it.
        taken: What was taken without a measurement.
        candidates: What there is to choose from.
        sources: Of the candidates that are templates of Triton, the source that would be measured.
        direction: ``inference``, ``forward`` or ``backward`` of the graph, where it is known.
    """

    what: str
    detail: str
    taken: str
    candidates: tuple[str, ...]
    sources: Mapping[str, str] = dataclasses.field(default_factory=dict)
    direction: str = ""

    @classmethod
    def of(cls, entry: Mapping[str, object]) -> Self:
        """Reads one entry."""
        candidates, sources = entry.get("candidates"), entry.get("sources")
        return cls(
            what=_text(entry.get("what")),
            detail=_text(entry.get("detail")),
            taken=_text(entry.get("taken")),
            candidates=_texts(candidates),
            sources=_named_texts(sources),
            direction=_text(entry.get("direction")),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class AlternativeCode:
    """Output code of a graph with decisions made otherwise than in what was taken.

    Attributes:
        decided: What was decided otherwise: ``padded`` or ``template``.
        code: The code.
        about: What is padded in it, as torch identifies it.
    """

    decided: str
    code: str
    about: tuple[str, ...] = ()

    @classmethod
    def of(cls, entry: object) -> Self:
        """Reads one entry; of the first recordings, the code alone."""
        if isinstance(entry, Mapping):
            decided, code = _text(entry.get("if")) or "unknown", _text(entry.get("code"))
            return cls(decided, code, _texts(entry.get("about")))
        return cls("padded", _text(entry))


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorGpuTarget:
    """``inspector_gpu_target``: once at the beginning, and once for each captured graph.

    Attributes:
        gpu: What ``--gpu`` calls the GPU.
        is_begin: Whether nothing was compiled yet.
        measured: Decisions that the device would make.
        attention: The kernels that were chosen for scaled_dot_product_attention.
        alternatives: Output code of the same graph with these decisions made otherwise.
        missing: Why code with other decisions could not be generated.
        error: What generating code failed with, or an empty string.
        where: Torch's innermost frames at that, outermost first.
    """

    gpu: str
    is_begin: bool
    measured: tuple[MeasuredDecision, ...] = ()
    attention: tuple[str, ...] = ()
    alternatives: tuple[AlternativeCode, ...] = ()
    missing: tuple[str, ...] = ()
    error: str = ""
    where: tuple[str, ...] = ()

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload."""
        payload = envelope.json_object()
        measured = payload.get("measured")
        entries = measured if isinstance(measured, list) else []
        alternatives = payload.get("alternatives")
        codes = alternatives if isinstance(alternatives, list) else []
        return cls(
            gpu=_text(payload.get("gpu")),
            is_begin=payload.get("state") == "begin",
            measured=tuple(MeasuredDecision.of(item) for item in entries if isinstance(item, dict)),
            attention=_texts(payload.get("attention")),
            alternatives=tuple(map(AlternativeCode.of, codes)),
            missing=_texts(payload.get("missing")),
            error=_text(payload.get("error")),
            where=_texts(payload.get("where")),
        )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _named_texts(value: object) -> dict[str, str]:
    found = value if isinstance(value, Mapping) else {}
    return {str(name): text for name, text in found.items() if isinstance(text, str)}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
