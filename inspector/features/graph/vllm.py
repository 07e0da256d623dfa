"""What vLLM compiled part by part: its configuration, and each submodule for each range."""

import dataclasses
from collections.abc import Iterator, Sequence

from inspector.features.graph.passes import GraphPasses
from inspector.records.vllm import VllmCompileEvent, VllmConfig
from inspector.report.page import Column, Section, Table
from inspector.report.processes import labels
from inspector.report.wording import count, duration
from inspector.run.pieces import Piece
from inspector.run.run import Process, Run

_MOST_ROWS = 12
_MOST_STAGES = 3
_SETTINGS = (Column("setting"), Column("value", "code"))
_PIECES = (
    Column("submodule", "code"),
    Column("tokens"),
    Column("compile time", "number"),
    Column("caches"),
    Column("stages", "below"),
)


@dataclasses.dataclass(frozen=True, slots=True)
class Vllm:
    """What vLLM compiled in one process.

    Attributes:
        process: Name of the process, such as ``rank 1``; empty if there is only one.
        kind: ``aot_cache_hit`` if everything was loaded from vLLM's own cache, otherwise
            ``fresh_compile``, if known.
    """

    process: str
    config: VllmConfig
    kind: str
    pieces: tuple[Piece, ...]

    @property
    def time_ns(self) -> int:
        """Compile time of all parts."""
        return sum(piece.time_ns for piece in self.pieces)

    def part_of(self, graph: GraphPasses) -> str:
        """Which submodule and range a graph is of: ``submod_2 8``."""
        parts = (
            f"{piece.start.name} {piece.tokens}"
            for piece in self.pieces
            if piece.places[0] <= graph.place < piece.places[1]
        )
        return next(parts, "")


def vllm_of(run: Run) -> tuple[Vllm, ...]:
    """What vLLM compiled."""
    pairs = zip(run.processes, process_names(run), strict=True)
    return tuple(filter(None, (make_vllm(process, name) for process, name in pairs)))


def process_names(run: Run) -> tuple[str, ...]:
    """A short name for each process; an empty string where there is but one."""
    return ("",) if len(run.processes) == 1 else labels(run)


def make_vllm(process: Process, name: str) -> Vllm | None:
    """What vLLM compiled; None where it did not run."""
    config, event = process.last(VllmConfig), process.last(VllmCompileEvent)
    if config is None and not process.pieces:
        return None
    return Vllm(name, config or VllmConfig(), event.kind if event else "", process.pieces)


def vllm_sections(found: Sequence[Vllm]) -> Iterator[Section]:
    """The slowest process: ranks that differ are the subject of `inspect ranks`."""
    slowest = max(found, key=lambda item: item.time_ns, default=None)
    if slowest is None:
        return
    rank = f" on {slowest.process} of {len(found)}" if slowest.process else ""
    names = {piece.start.name for piece in slowest.pieces}
    title = f"{count(len(slowest.pieces), 'compilation')} of {count(len(names), 'submodule')}"
    rows = [_row(piece) for piece in slowest.pieces]
    yield Section(
        f"vLLM{rank}: {title}, {duration(slowest.time_ns)}",
        (
            Table(_PIECES, rows, "compilation", _MOST_ROWS),
            Table(_SETTINGS, list(_settings(slowest)), "setting", _MOST_ROWS),
        ),
    )


def _settings(item: Vllm) -> Iterator[tuple[str, str]]:
    config = item.config
    named = {
        "model": f"{config.model} {config.prefix}".strip(),
        "mode": config.mode,
        "backend": config.backend,
        "splitting ops": config.splitting_ops,
        "compile sizes": config.compile_sizes,
        "range endpoints": config.compile_ranges,
        "cudagraph mode": config.cudagraph_mode,
        "custom ops": config.custom_ops,
        "passes": ", ".join(filter(None, (config.enabled_passes, config.inductor_passes))),
        "dynamic shapes": config.dynamic_shapes_type,
        "start": item.kind.replace("_", " "),
    }
    yield from ((name, value) for name, value in named.items() if value)


def _row(piece: Piece) -> tuple[str, str, str, str, list[str]]:
    longest = sorted(piece.stages, key=lambda stage: -stage.time_ns)[:_MOST_STAGES]
    stages = ", ".join(f"{stage.stage} {duration(stage.time_ns)}" for stage in longest)
    caches = dict.fromkeys(f"{found.cache} {found.state.value}" for found in piece.lookups)
    return (
        piece.start.name or f"piece {piece.start.index}",
        piece.tokens,
        duration(piece.time_ns) if piece.stages else "not compiled",
        ", ".join(caches),
        [stages] if stages else [],
    )
