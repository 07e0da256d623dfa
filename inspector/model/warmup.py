"""What `inspect bench --warmup` does: the starts of a service, and what they reported."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from inspector.model.bench import Setting, WorkerRequest, Workload
from inspector.model.request import Request
from inspector.model.variation import Assignment

FORMAT_VERSION = 1
"""Of ``warmup.json`` in a recording: counts up when a field changes its meaning or goes."""
ARTIFACT = "cache.bin"
"""What `torch.compiler.save_cache_artifacts` gave, in a recording and next to a script."""
INPUTS = "inputs.pt"
"""Next to it: the arguments of each call."""


@dataclasses.dataclass(frozen=True, slots=True)
class Loading:
    """How the target is loaded, as a script can do it.

    Attributes:
        file: The absolute path of its file, or None for a module without one.
        module: The name that its module is imported under.
        search: Folders that go to the front of ``sys.path``.
        entry: How the model is got, as Python on the module: ``get_model()``.
    """

    file: str | None
    module: str
    search: tuple[str, ...]
    entry: str

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> Loading:
        """What `dataclasses.asdict` made, as JSON gives it back."""
        return cls(**{**fields, "search": tuple(fields["search"])})


@dataclasses.dataclass(frozen=True, slots=True)
class WarmupCall:
    """One call.

    Attributes:
        input: Number of the input, from 0.
        time_ns: Its wall time.
        compiled: Frames that it compiled, or tried to.
    """

    input: int
    time_ns: int
    compiled: int


@dataclasses.dataclass(frozen=True, slots=True)
class WarmupCheck:
    """What a fresh process did that ran the script, and then called all inputs.

    Attributes:
        failure: Why it did not finish, or an empty string.
        ready_ns: From the process's begin until it was warm.
        loaded: Whether the artifact was loaded.
        calls: The calls of the plan.
        later: The calls of all inputs after it.
        counters: Hits, misses and bypasses of the caches of graphs.
    """

    failure: str = ""
    ready_ns: int = 0
    loaded: bool = False
    calls: tuple[WarmupCall, ...] = ()
    later: tuple[WarmupCall, ...] = ()
    counters: Mapping[str, int] = dataclasses.field(default_factory=dict)

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> WarmupCheck:
        """What `dataclasses.asdict` made, as JSON gives it back."""
        calls = {
            name: tuple(WarmupCall(**call) for call in fields[name]) for name in ("calls", "later")
        }
        return cls(**{**fields, **calls})

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
    """How a start ended.

    Attributes:
        start: The start.
        failure: Why a call is missing, in one sentence; empty where none is.
        detail: The user's own traceback, or an empty string.
    """

    start: str
    failure: str = ""
    detail: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class WarmupPlan:
    """What was asked for, and what the processes reported.

    Attributes:
        target: What was started, as the user wrote it.
        setting: How it is compiled.
        workload: What is computed.
        job: ``torch.compiler.config.job_id`` of all starts.
        is_grad: Whether calls are made with gradients.
        device: ``--device``, or None.
        texts: The ``--input`` texts.
        batches: Batch sizes that each input is called with; or none.
        variations: What the inputs are, where they were asked to vary.
        loading: How the target is loaded, or None where that is not known.
        check: What a fresh process did that ran the plan, or None.
        ends: How the starts ended.
    """

    target: str
    setting: Setting
    workload: Workload
    job: str = ""
    is_grad: bool = False
    device: str | None = None
    texts: tuple[str, ...] = ()
    batches: tuple[int, ...] = ()
    variations: tuple[tuple[Assignment, ...], ...] = ()
    loading: Loading | None = None
    check: WarmupCheck | None = None
    ends: tuple[StartEnd, ...] = ()

    @property
    def records_cuda_graphs(self) -> bool:
        """Whether it records a CUDA graph for each input, where there is a GPU."""
        modes = {"reduce-overhead", "max-autotune"}
        return self.setting.mode in modes or self.setting.backend == "cudagraphs"

    def to_json(self) -> str:
        """The plan as JSON."""
        return json.dumps({"format_version": FORMAT_VERSION, **dataclasses.asdict(self)}, indent=1)

    @classmethod
    def from_json(cls, text: str) -> WarmupPlan:
        """The plan that `to_json` wrote.

        Raises:
            ValueError: It is no such plan, or of a newer version.
        """
        try:
            fields = json.loads(text)
            if fields.pop("format_version") <= FORMAT_VERSION:
                return cls(**_read(fields))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ValueError("it is no plan of `inspect bench --warmup`") from error
        raise ValueError("it was written by a newer torch-inspector")


def _read(fields: Mapping[str, Any]) -> dict[str, Any]:
    loading, check = fields["loading"], fields["check"]
    return {
        **fields,
        "texts": tuple(fields["texts"]),
        "batches": tuple(fields["batches"]),
        "setting": Setting(**fields["setting"]),
        "workload": Workload(**fields["workload"]),
        "variations": tuple(
            tuple(Assignment(**item) for item in items) for items in fields["variations"]
        ),
        "loading": None if loading is None else Loading.from_fields(loading),
        "check": None if check is None else WarmupCheck.from_fields(check),
        "ends": tuple(StartEnd(**end) for end in fields["ends"]),
    }


@dataclasses.dataclass(frozen=True, slots=True)
class WarmupRequest:
    """What the process of one start does.

    Attributes:
        start: ``eager``, ``cold``, ``directory`` or ``artifact``.
        folder: The recording, which the cold start puts the artifact and the inputs into.
        plan: How the target is compiled and called.
    """

    start: str
    folder: str
    plan: WarmupPlan

    def to_json(self) -> str:
        """The request as JSON."""
        return json.dumps([self.start, self.folder, self.plan.to_json()])

    @classmethod
    def from_json(cls, text: str) -> WarmupRequest:
        """The request that `to_json` wrote."""
        start, folder, plan = json.loads(text)
        return cls(start, folder, WarmupPlan.from_json(plan))

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
