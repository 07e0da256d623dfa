"""Events of TorchDynamo: frames, graphs, failures and the metrics of a compilation."""

import dataclasses
import json
import re
from collections.abc import Mapping
from typing import Self

from inspector.records.codec import decode
from inspector.records.record import doc, part
from inspector.records.stack import StackFrame
from inspector.trace.envelope import Envelope
from inspector.trace.failed_guard import stripped_source
from inspector.trace.fields import nanoseconds, texts
from inspector.trace.graph_break import Raised
from inspector.trace.guards import DynamoSettings, read_settings
from inspector.trace.printed_stack import printed_frames

_SECOND_NS = 1_000_000_000
_US_NS = 1_000
_LIMIT = "recompile limit exceeded"
CACHE_LIMIT = "CacheLimitExceeded"
"""Torch 2.5's exception, after which it skips the function; its log has nothing of it."""
_LIMIT_ERRORS = frozenset(
    {"FailOnRecompileLimitHit", "RecompileLimitExceeded", CACHE_LIMIT}  # the second since 2.6
)
_CLASS = re.compile(r"<class '(?:\w+\.)*(\w+)'>")

_LONGEST_NUMBER = 40
_CONVERT_FRAME = "/_dynamo/convert_frame.py"
# torch/_dynamo/utils.py: all metrics have the key; the version came with records of breaks, in 2.6.
_KEY, _VERSION = "frame_key", "log_format_version"
_TIMES = {
    "start_time_ns": ("start_time", _SECOND_NS),
    "duration_ns": ("entire_frame_compile_time_s", _SECOND_NS),
    "logging_ns": ("structured_logging_overhead_us", _US_NS),
    "guard_latency_ns": ("guard_latency_us", _US_NS),
    "backend_ns": ("backend_compile_time_s", _SECOND_NS),
    "inductor_ns": ("inductor_compile_time_s", _SECOND_NS),
    "code_generation_ns": ("code_gen_time_s", _SECOND_NS),
}
_CONFIGS = {
    "dynamo_config": "torch._dynamo.config",
    "inductor_config": "torch._inductor.config",
    "functorch_config": "torch._functorch.config",
    "compiler_config": "torch.compiler.config",
}


@dataclasses.dataclass(frozen=True, slots=True)
class TorchVersion:
    """Artifact ``torch_version``: the first record of each log."""

    version: str

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload."""
        payload = envelope.json_object()
        return cls(version=str(payload.get("pytorch_version", "")))


@dataclasses.dataclass(frozen=True, slots=True)
class DynamoStart:
    """Event ``dynamo_start``: Dynamo begins to trace a frame."""

    stack: tuple[StackFrame, ...]

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the event's stack."""
        return cls(stack=envelope.frames(envelope.fields().get("stack")))


@dataclasses.dataclass(frozen=True, slots=True)
class CreateSymbol:
    """Event ``create_symbol``: a size became symbolic.

    Attributes:
        symbol: Its name (``s77``, ``zf12`` for a float).
        source: What it stands for (``L['x'].size()[0]``), or an empty string.
        text: Its value as torch writes it (also of floats), or an empty string.
    """

    symbol: str
    value: int | None
    source: str = ""
    text: str = ""
    stack: tuple[StackFrame, ...] = ()

    @property
    def number(self) -> float | None:
        """Its value, also of a float; None where torch does not say, or it is no finite number."""
        if self.value is not None:
            return self.value
        is_float = re.fullmatch(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", self.text)
        return float(self.text) if is_float and len(self.text) < _LONGEST_NUMBER else None

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the event's fields."""
        fields = envelope.fields()
        value = str(fields.get("val", ""))
        return cls(
            symbol=str(fields.get("symbol", "")),
            value=int(value) if re.fullmatch(r"-?\d{1,18}", value) else None,
            source=str(fields.get("source", "")),
            text=value,
            stack=envelope.frames(fields.get("user_stack")),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class SymbolGuard:
    """Event ``guard_added_fast``: a line of the program made an assumption about a symbolic size.

    Attributes:
        inside: The frames outside torch below that, which the compiler called.
    """

    expression: str
    stack: tuple[StackFrame, ...]
    inside: tuple[StackFrame, ...] = ()

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the event's fields."""
        fields = envelope.fields()
        stack = envelope.frames(fields.get("user_stack"))
        return cls(str(fields.get("expr", "")), stack, _inside(envelope))


@dataclasses.dataclass(frozen=True, slots=True)
class SymbolSpecialized:
    """Event ``symbolic_shape_specialization``: a symbolic size became a constant."""

    symbol: str
    sources: tuple[str, ...]
    value: str
    stack: tuple[StackFrame, ...]
    inside: tuple[StackFrame, ...] = ()

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the event's fields."""
        fields = envelope.fields()
        return cls(
            symbol=str(fields.get("symbol", "")),
            sources=texts(fields, "sources"),
            value=str(fields.get("value", "")),
            stack=envelope.frames(fields.get("user_stack")),
            inside=_inside(envelope),
        )


def _inside(envelope: Envelope) -> tuple[StackFrame, ...]:
    """The frames outside torch below Dynamo's: of a fake implementation, say.

    Large models have thousands of such stacks, and torch's own frames are most of each.
    """
    stack = envelope.fields().get("stack")
    inner: list[tuple[str, Mapping[str, object]]] = []
    for entry in reversed(stack if isinstance(stack, list) else []):
        file = envelope.file_of(entry) if isinstance(entry, dict) else ""
        if file.endswith(_CONVERT_FRAME):
            root = file.removesuffix(_CONVERT_FRAME)
            own = [entry for file, entry in inner if not file.startswith(f"{root}/")]
            return envelope.frames(own[::-1])
        inner.append((file, entry))
    return ()


@dataclasses.dataclass(frozen=True, slots=True)
class DynamoError:
    """Artifact ``dynamo_error``: a compilation ended with an exception.

    Attributes:
        stack: The user's stack where it was raised, from the compiled frame inwards; empty where a
            backend raised it.
    """

    stack: tuple[StackFrame, ...]
    raised: Raised

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the part of torch's text that is about the user's code."""
        raised, found, user_code = envelope.text().rpartition("from user code:\n")
        stack = printed_frames(user_code) if found else ()
        return cls(stack, Raised.parse(raised or user_code))


@dataclasses.dataclass(frozen=True, slots=True)
class RecompileReasons:
    """Artifact ``recompile_reasons``: why no cache entry fitted, the newest entry first.

    Attributes:
        reasons: One text per cache entry, ``0/0: tensor 'x' size mismatch …``.
    """

    reasons: tuple[str, ...]

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the payload: a JSON list, or a bare string where there is one reason."""
        text = envelope.text()
        try:
            reasons = json.loads(text)
        except ValueError:
            reasons = text
        # A reason can read as JSON by chance ("0").
        if not isinstance(reasons, list):
            reasons = [text]
        return cls(reasons=tuple(stripped_source(str(reason)) for reason in reasons))


def read_configs(envelope: Envelope) -> dict[str, str]:
    """Torch's settings when a compilation ended: JSON by their module, as far as metrics say it."""
    fields = envelope.fields()
    return {
        name: text for key, name in _CONFIGS.items() if isinstance(text := fields.get(key), str)
    }


@part
class CompilationMetrics:
    """Events ``compilation_metrics`` and ``bwd_compilation_metrics``: a compilation has ended.

    What is None torch does not say.
    """

    name: str | None = doc("function name, or None at the recompile limit", key="co_name")
    file: str | None = doc(key="co_filename")
    first_line: int | None = doc(key="co_firstlineno")
    has_guarded_code: bool | None = doc(
        "whether guarded code was produced, or None if nothing was compiled"
    )
    operator_count: int | None = doc(
        "call_function, call_method and call_module nodes", key="graph_op_count"
    )
    guard_count: int | None
    fail_type: str | None = doc("class of the exception that stopped the compilation")
    fail_reason: str | None
    fail_file: str | None = doc(key="fail_user_frame_filename")
    fail_line: int | None = doc(key="fail_user_frame_lineno")
    restart_reasons: tuple[str, ...] = doc("reasons why tracing restarted")
    recompile_reason: str | None
    cuda_graph_skip: str | None = doc(
        "reason why CUDA graphs were skipped", key="cudagraph_skip_reason"
    )
    is_forward: bool = doc("False if the backward pass was compiled later")
    start_time_ns: int | None = doc("start time in UTC, in ns since the epoch")
    duration_ns: int | None
    logging_ns: int | None = doc("time spent so far on writing trace records of this compile id")
    guard_latency_ns: int | None = doc("time of all guards with cold CPU caches")
    backend_ns: int | None = doc("part of the duration spent in the backend")
    inductor_ns: int | None = doc("part of the backend time spent in Inductor")
    code_generation_ns: int | None = doc("part of Inductor's time spent on code generation")
    settings: DynamoSettings | None
    logs_breaks: bool = doc("whether torch logs graph breaks (2.6 and later)")

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the fields that are used out of about a hundred."""
        fields = envelope.fields()
        fail_type = _CLASS.sub(r"\1", str(fields.get("fail_type") or "")) or None
        return decode(
            cls,
            fields,
            **{name: nanoseconds(fields.get(key), unit) for name, (key, unit) in _TIMES.items()},
            fail_type=fail_type,
            recompile_reason=stripped_source(str(fields.get("recompile_reason") or "")) or None,
            # Torch 2.6 takes what the limit refused for a backward: it does not say what it is.
            is_forward=envelope.key == "compilation_metrics" or fail_type in _LIMIT_ERRORS,
            settings=read_settings(fields.get("dynamo_config")),
            logs_breaks=_VERSION in fields or _KEY not in fields,
        )

    @property
    def hit_limit(self) -> bool:
        """Whether Dynamo refused to compile because of the recompile limit."""
        if self.fail_type is None:
            return False
        first_line = (self.fail_reason or "").partition("\n")[0]
        # Under fullgraph=True the limit is an exception of its own.
        return self.fail_type in _LIMIT_ERRORS or _LIMIT in first_line

    def graphs_of(self, attempted: int, failed: int) -> int:
        """Graphs that the backend accepted, as torch's ``unique_graphs`` counts them."""
        # A backend can also ask to skip the frame, whose metrics then count no operator.
        if self.fail_type is None and self.operator_count is None:
            return 0
        refused = self.fail_type == "BackendCompilerFailed"
        return max(0, attempted - failed - refused)
