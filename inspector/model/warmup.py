"""What `inspect bench --warmup` does: the starts of a service, and the plan that came of them."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from inspector.model.bench import Setting, WorkerRequest, Workload
from inspector.model.variation import Assignment

FORMAT_VERSION = 1
"""Of ``warmup.json`` in a recording: counts up when a field changes its meaning or goes."""


@dataclasses.dataclass(frozen=True, slots=True)
class WarmupRequest:
    """What the process of one start does.

    Attributes:
        start: ``eager``, ``cold``, ``directory`` or ``artifact``.
        worker: The target, its inputs, and how it is compiled.
        job: ``torch.compiler.config.job_id``: without one torch keeps no profile (PGO).
        batches: Batch sizes that each input is called with; or none, to leave them.
        artifact: The file to load before the first call, or None.
        save: The file to save what was compiled to, or None.
    """

    start: str
    worker: WorkerRequest
    job: str
    batches: tuple[int, ...] = ()
    artifact: str | None = None
    save: str | None = None

    def to_json(self) -> str:
        """The request as one line of JSON."""
        fields = dataclasses.asdict(self)
        return json.dumps({**fields, "worker": json.loads(self.worker.to_json())})

    @classmethod
    def from_json(cls, text: str) -> WarmupRequest:
        """The request that `to_json` wrote."""
        fields: dict[str, Any] = json.loads(text)
        fields["worker"] = WorkerRequest.from_json(json.dumps(fields["worker"]))
        fields["batches"] = tuple(fields["batches"])
        return cls(**fields)


@dataclasses.dataclass(frozen=True, slots=True)
class Loading:
    """How the target is loaded, as a script can do it.

    Attributes:
        file: The absolute path of its file, or None for a module without one.
        module: The name that its module is imported under.
        search: Folders that go to the front of ``sys.path``.
        entry: How the model is got, as Python on the module: ``get_model()``.
        inputs: How its inputs are got, likewise: ``get_inputs()``; empty where there are none.
        places: Where the varied arguments are: positions, or names among the keywords.
    """

    file: str | None
    module: str
    search: tuple[str, ...]
    entry: str
    inputs: str
    places: Mapping[str, int | str]

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> Loading:
        """What `dataclasses.asdict` made, as JSON gives it back."""
        return cls(**{**fields, "search": tuple(fields["search"])})


@dataclasses.dataclass(frozen=True, slots=True)
class CheckedCall:
    """A call of the process that ran the plan.

    Attributes:
        input: Number of the input, from 0.
        time_ns: How long it took.
        compiled: How many frames it compiled, or tried to.
    """

    input: int
    time_ns: int
    compiled: int


@dataclasses.dataclass(frozen=True, slots=True)
class WarmupCheck:
    """What a fresh process did that ran the script, and then called all inputs.

    Attributes:
        failure: Why it did not come to its end, or an empty string.
        load_ns: From the process's begin until the model was there.
        artifact_ns: How long loading the artifact took.
        loaded: Whether the artifact was loaded.
        calls: The calls of the plan.
        later: The calls of all inputs after it.
        counters: How often torch's caches had something, by torch's names.
        graphs: The calls of all inputs between the two, in which CUDA graphs are recorded.
    """

    failure: str = ""
    load_ns: int = 0
    artifact_ns: int = 0
    loaded: bool = False
    calls: tuple[CheckedCall, ...] = ()
    later: tuple[CheckedCall, ...] = ()
    counters: Mapping[str, int] = dataclasses.field(default_factory=dict)
    graphs: tuple[CheckedCall, ...] = ()

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> WarmupCheck:
        """What `dataclasses.asdict` made, as JSON gives it back."""
        calls = {
            name: tuple(CheckedCall(**call) for call in fields.get(name, ()))
            for name in ("calls", "graphs", "later")
        }
        return cls(**{**fields, **calls})

    @property
    def compiled_later(self) -> tuple[int, ...]:
        """The inputs that compiled something after the plan, in a CUDA graph's recording, too."""
        later = (call.input for call in (*self.graphs, *self.later) if call.compiled)
        return tuple(dict.fromkeys(later))

    @property
    def is_passed(self) -> bool:
        """Whether nothing compiled after the plan."""
        return not self.failure and bool(self.later) and not self.compiled_later


@dataclasses.dataclass(frozen=True, slots=True)
class StartEnd:
    """How a start ended.

    Attributes:
        start: The start.
        failure: Why it has no times, or not all, in one sentence; empty where it has.
        detail: The user's own traceback, or an empty string.
    """

    start: str
    failure: str = ""
    detail: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class WarmupPlan:
    """What was asked for, and what came of it.

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
        calls: The plan: inputs to call at start, by number, in order.
        calls_without: The same where the artifact cannot be used.
        trials: How many shorter plans were tried.
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
    calls: tuple[int, ...] = ()
    calls_without: tuple[int, ...] = ()
    trials: int = 0
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
    numbers = {name: tuple(fields[name]) for name in ("texts", "batches", "calls", "calls_without")}
    return {
        **fields,
        **numbers,
        "setting": Setting(**fields["setting"]),
        "workload": Workload(**fields["workload"]),
        "variations": _variations(fields["variations"]),
        "loading": None if loading is None else Loading.from_fields(loading),
        "check": None if check is None else WarmupCheck.from_fields(check),
        "ends": tuple(StartEnd(**end) for end in fields["ends"]),
    }


def _variations(given: Sequence[Sequence[Mapping[str, Any]]]) -> tuple[tuple[Assignment, ...], ...]:
    return tuple(tuple(Assignment(**item) for item in items) for items in given)
