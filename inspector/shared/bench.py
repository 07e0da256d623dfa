"""What `inspect bench` compares, settings of the compiler on workloads, and what a process does."""

import dataclasses
from collections.abc import Mapping, Sequence

from inspector.shared.message import Message, Plan
from inspector.shared.request import Request
from inspector.shared.variation import Assignment

LEARNING_RATE = 1e-4
"""Of every optimizer: that of many trainings, and small enough for all."""
SESSION_SECONDS = 12.0
"""For how long the processes of a session time calls: sixteen rounds of short ones."""


@dataclasses.dataclass(frozen=True, slots=True)
class Workload:
    """What is computed; times of one workload are compared with each other.

    Attributes:
        batch: Size of the first dimension of the inputs, or None to leave them as they are.
        dtype: Floating-point dtype of model and inputs, or None to leave them.
        autocast: Dtype of ``torch.autocast`` around each call.
        tf32: Whether products of float32 may use TF32, or None to leave it to the program.
        train: Whether a call is forward, sum of the outputs, and backward.
        optimizer: Class in ``torch.optim`` whose step is part of a call.
    """

    batch: int | None = None
    dtype: str | None = None
    autocast: str | None = None
    tf32: bool | None = None
    train: bool = False
    optimizer: str | None = None

    @property
    def label(self) -> str:
        """``batch 4 · bf16 · training step with AdamW``; empty where all is as the file has it."""
        step = f"training step with {self.optimizer}" if self.optimizer else "training"
        parts = (
            f"batch {self.batch}" if self.batch is not None else "",
            self.dtype or "",
            f"autocast {self.autocast}" if self.autocast else "",
            "" if self.tf32 is None else f"TF32 {'on' if self.tf32 else 'off'}",
            step if self.train else "",
        )
        return " · ".join(filter(None, parts))


@dataclasses.dataclass(frozen=True, slots=True)
class Setting:
    """Arguments of ``torch.compile``.

    Attributes:
        backend: ``torch.compile``'s backend; empty for eager PyTorch, without the compiler.
        dynamic: ``torch.compile``'s ``dynamic`` argument; None leaves the choice to torch.
    """

    backend: str = ""
    mode: str | None = None
    dynamic: bool | None = None
    fullgraph: bool = False
    compiles_optimizer: bool = False

    @property
    def is_eager(self) -> bool:
        """Whether nothing is compiled."""
        return not self.backend

    @property
    def label(self) -> str:
        """Name of the setting: ``eager``, ``reduce-overhead``, ``default + dynamic``."""
        if self.is_eager:
            return "eager"
        name = (self.mode or "default") if self.backend == "inductor" else self.backend
        if name == "eager":  # Dynamo with a backend that compiles nothing
            name = "backend eager"
        parts = (
            f"{name} {self.mode}" if self.mode and self.backend != "inductor" else name,
            {True: "dynamic", False: "static", None: ""}[self.dynamic],
            "fullgraph" if self.fullgraph else "",
            "optimizer compiled" if self.compiles_optimizer else "",
        )
        return " + ".join(filter(None, parts))


@dataclasses.dataclass(frozen=True, slots=True)
class Combination:
    """A setting on a workload."""

    workload: Workload
    setting: Setting


@dataclasses.dataclass(frozen=True, slots=True)
class WorkerRequest(Message):
    """What one process does.

    Attributes:
        references: What they are compared with: folders by name.
        backends: All of the plan's, for the process that sees first whether torch has them.
    """

    request: Request
    workload: Workload
    compiles_optimizer: bool
    eager: bool
    combination: int
    session: int
    outputs: str | None = None
    references: Mapping[str, str] = dataclasses.field(default_factory=dict)
    measures_memory: bool = False
    is_reference: bool = False
    variations: tuple[tuple[Assignment, ...], ...] = ()
    session_seconds: float = SESSION_SECONDS
    backends: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class WorkerEnd:
    """How a process ended.

    Attributes:
        failure: Why it has no times, or not all, in one sentence; empty where it has.
        is_alone: Whether memory was too small for all, and it was measured after others.
    """

    combination: int
    session: int
    failure: str = ""
    detail: str = ""
    is_left_out: bool = False
    is_alone: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class BenchPlan(Plan):
    """What was to be done, and how it ended.

    Attributes:
        is_grad: Whether calls that do not train ran with gradients.
    """

    FILE = "bench.json"
    target: str
    combinations: tuple[Combination, ...]
    sessions: int
    is_grad: bool = False
    ends: tuple[WorkerEnd, ...] = ()
    variations: tuple[tuple[Assignment, ...], ...] = ()
    session_seconds: float = SESSION_SECONDS

    def __post_init__(self) -> None:
        if self.sessions < 1:
            raise ValueError(self.sessions)

    def numbers(self, workload: Workload) -> Sequence[int]:
        """The combinations of a workload, by their numbers."""
        return [
            number for number, item in enumerate(self.combinations) if item.workload == workload
        ]

    @property
    def workloads(self) -> tuple[Workload, ...]:
        """The workloads, each once."""
        return tuple(dict.fromkeys(item.workload for item in self.combinations))
