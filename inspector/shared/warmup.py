"""What `inspect bench --warmup` does: the starts of a service, and what they reported."""

import dataclasses
from collections.abc import Mapping

from inspector.shared.bench import Setting, WorkerRequest, Workload
from inspector.shared.message import Message, Plan
from inspector.shared.request import Request
from inspector.shared.variation import Assignment

ARTIFACT = "cache.bin"
"""What `torch.compiler.save_cache_artifacts` gave, in a recording and next to a script."""
INPUTS = "inputs.pt"
"""Next to it: the arguments of each call."""


@dataclasses.dataclass(frozen=True, slots=True)
class Loading:
    """How the target is loaded, as a script can do it.

    Attributes:
        entry: How the model is got, as Python on the module: ``get_model()``.
    """

    file: str | None
    module: str
    search: tuple[str, ...]
    entry: str


@dataclasses.dataclass(frozen=True, slots=True)
class WarmupCall:
    """One call.

    Attributes:
        input: Number of the input, from 0.
        compiled: Number of frames that the call compiled or tried to compile.
    """

    input: int
    time_ns: int
    compiled: int


@dataclasses.dataclass(frozen=True, slots=True)
class WarmupCheck:
    """Result of a fresh process that ran the warm-up script and then called all inputs.

    Attributes:
        ready_ns: Time from process start until the warm-up script finished.
        later: Calls of all inputs after the warm-up script.
        counters: Hits, misses and bypasses of the caches of graphs.
    """

    failure: str = ""
    ready_ns: int = 0
    loaded: bool = False
    calls: tuple[WarmupCall, ...] = ()
    later: tuple[WarmupCall, ...] = ()
    counters: Mapping[str, int] = dataclasses.field(default_factory=dict)

    @property
    def compiled_later(self) -> tuple[int, ...]:
        """The inputs that compiled something after the plan."""
        return tuple(dict.fromkeys(call.input for call in self.later if call.compiled))

    @property
    def is_passed(self) -> bool:
        """Whether nothing compiled after the plan."""
        return not self.failure and bool(self.later) and not self.compiled_later


@dataclasses.dataclass(frozen=True, slots=True)
class StartEnd:
    """How a start ended."""

    start: str
    failure: str = ""
    detail: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class WarmupPlan(Plan):
    """What was asked for, and what the processes reported.

    Attributes:
        job: ``torch.compiler.config.job_id`` of all starts.
    """

    FILE = "warmup.json"
    target: str
    setting: Setting
    workload: Workload
    job: str = ""
    is_grad: bool = False
    device: str | None = None
    texts: tuple[str, ...] = ()
    variations: tuple[tuple[Assignment, ...], ...] = ()
    loading: Loading | None = None
    check: WarmupCheck | None = None
    ends: tuple[StartEnd, ...] = ()

    @property
    def records_cuda_graphs(self) -> bool:
        """Whether it records a CUDA graph for each input, where there is a GPU."""
        modes = {"reduce-overhead", "max-autotune"}
        return self.setting.mode in modes or self.setting.backend == "cudagraphs"


@dataclasses.dataclass(frozen=True, slots=True)
class WarmupRequest(Message):
    """What the process of one start does.

    Attributes:
        start: ``eager``, ``cold``, ``directory`` or ``artifact``.
        folder: The recording, which the cold start puts the artifact and the inputs into.
    """

    start: str
    folder: str
    plan: WarmupPlan

    @property
    def worker(self) -> WorkerRequest:
        """The same as a process of `inspect bench` is asked."""
        plan = self.plan
        request = Request(
            plan.target,
            inputs=plan.texts,
            device=plan.device,
            dtype=plan.workload.dtype,
            backend=plan.setting.backend,
            mode=plan.setting.mode,
            dynamic=plan.setting.dynamic,
            fullgraph=plan.setting.fullgraph,
            no_grad=not plan.is_grad,
            measure=False,
            command="bench",
        )
        return WorkerRequest(
            request=request,
            workload=plan.workload,
            compiles_optimizer=False,
            eager=self.start == "eager",
            combination=0,
            session=0,
            variations=plan.variations,
        )
