"""The parts of a model that vLLM compiles by themselves."""

import dataclasses

from inspector.records.vllm import VllmPieceStart
from inspector.run.compile_time import StageTime
from inspector.trace.caches import CacheLookup


@dataclasses.dataclass(frozen=True, slots=True)
class Piece:
    """One submodule, for one range of tokens.

    Attributes:
        stages: Compile time by stage. The times sum to ``compile_time_ns``.
        places: Of its graphs, the first among those of the process, and the first behind them.
    """

    start: VllmPieceStart
    compile_id: str
    stages: tuple[StageTime, ...]
    lookups: tuple[CacheLookup, ...]
    places: tuple[int, int]

    @property
    def time_ns(self) -> int:
        """Its compile time."""
        return sum(stage.time_ns for stage in self.stages)

    @property
    def tokens(self) -> str:
        """The first and the last number of tokens, or the one: ``8 (CUDA graph)``."""
        first, last = self.start.range_start, self.start.range_end
        graph = " (CUDA graph)" if self.start.is_cudagraph_size else ""
        return (str(first) if first == last else f"{first}\N{EN DASH}{last}") + graph
