"""Which class reads which event of torch's; our own artifacts are records.

Events that torch is known to write and that nothing here reads yet are listed too, so that a
reader can tell "not used" from "unknown: a newer torch, perhaps".
"""

import dataclasses
import re
from typing import Protocol

from inspector.records.codec import decode
from inspector.records.record import PREFIX, Record, artifacts
from inspector.trace import dynamo
from inspector.trace.caches import (
    CACHE_ARTIFACTS,
    CODE_STATES,
    CacheLookup,
    CodeState,
    TritonKernels,
)
from inspector.trace.envelope import Envelope
from inspector.trace.failed_trace import FailedTrace
from inspector.trace.graph_break import GraphBreakReason
from inspector.trace.guards import DynamoGuards
from inspector.trace.inductor import (
    AHEAD_CODES,
    GRAPH_STAGES,
    CollectiveSchedule,
    GraphLogged,
    OutputCode,
    pass_name,
)
from inspector.trace.inspector_records import StoredRecord
from inspector.trace.timing import ChromiumEvent


@dataclasses.dataclass(frozen=True, slots=True)
class UnknownEvent:
    """An event that this version has never heard of; it is counted and shown, never dropped."""

    label: str


class Event(Protocol):
    """What every event class has."""

    @classmethod
    def read(cls, envelope: Envelope) -> object:
        """Reads the event out of its envelope."""


EVENTS: dict[tuple[str, str], type[Event]] = {
    ("bwd_compilation_metrics", ""): dynamo.CompilationMetrics,
    ("chromium_event", ""): ChromiumEvent,
    ("compilation_metrics", ""): dynamo.CompilationMetrics,
    ("create_symbol", ""): dynamo.CreateSymbol,
    ("dynamo_cpp_guards_str", ""): DynamoGuards,
    ("dynamo_start", ""): dynamo.DynamoStart,
    **{("artifact", name): CacheLookup for name in CACHE_ARTIFACTS},
    **{("artifact", name): CodeState for name in CODE_STATES},
    **{("graph_dump", name): OutputCode for name in AHEAD_CODES},
    ("guard_added_fast", ""): dynamo.SymbolGuard,
    ("inductor_output_code", ""): OutputCode,
    ("symbolic_shape_specialization", ""): dynamo.SymbolSpecialized,
    ("artifact", "dynamo_error"): dynamo.DynamoError,
    ("artifact", "dynamo_graph_break_reason"): GraphBreakReason,
    ("artifact", "inductor_collective_schedule"): CollectiveSchedule,
    ("artifact", "make_fx_fail_partial"): FailedTrace,
    ("artifact", "recompile_reasons"): dynamo.RecompileReasons,
    ("artifact", "torch_version"): dynamo.TorchVersion,
    ("artifact", "triton_kernel_info"): TritonKernels,
    **dict.fromkeys(GRAPH_STAGES, GraphLogged),
}

# Found by listing the calls of trace_structured in torch 2.11 and 2.13; those of a family are one.
_UNUSED_KEYS = re.compile(
    r"""
    (?:bwd_)?compilation_metrics_runtime | compiled_autograd_graph | create_unbacked_symbol
    | describe_\w+ | dump_file | dynamo_guards | exported_program | expression_created
    | guard_(?:added|on_data_dependent_error) | inductor_pre_grad_graph | link
    | (?:missing|mismatched)_fake_kernel | optimize_ddp_split_\w+ | propagate_real_tensors\w*
    """,
    re.VERBOSE,
)
_UNUSED_ARTIFACTS = re.compile(
    r"""
    (?:after|before)_activation_quantization_\w+ | aot_\w+ | aotautograd_cache_pickle_failure
    | backward_(?:epilogue|prologue) | compiled_\w+ | compiler_collective | cprofile_manifold_url
    | dynamo_(?:cache|side)_\w+ | eager_compile_backwards_failure | fx_(?:graph|interpreter)_\w+
    | inductor_(?:autotune|overlap|post_to|provenance|spmd|triton_kernel_to)_\w+
    | invoke_subgraph_backward_duplicate | min_cut_\w+ | precompile_cache_bypass
    | runtime_wrapper_orchestration | scheduler_nodes_before_comm_overlap
    | torch\._functorch\.config | .*_(?:ORIGINAL|MODIFIED)_BYTECODE
    | inspector_(?:bench|hlo_graph|kept_memory|kernel_build)  # of earlier versions of ours
    """,
    re.VERBOSE,
)
_UNUSED_DUMPS = re.compile(
    r"inductor_aot_header_code"
    # vLLM's: the graph as it is split, its parts, and what its passes look for.
    r"|vllm_piecewise_split_graph|vllm_(?:submod|subgraph)_.*|vllm_patterns\..*"
)


def is_read(key: str, name: str) -> bool:
    """Whether something is made of such an event here."""
    return (key, name) in EVENTS or bool(pass_name(key, name) or record_type(key, name))


def is_known(key: str, name: str) -> bool:
    """Whether torch is known to write such an event."""
    if is_read(key, name):
        return True
    if key == "graph_dump":
        return _UNUSED_DUMPS.fullmatch(name) is not None
    if key != "artifact":
        return _UNUSED_KEYS.fullmatch(key) is not None
    return _UNUSED_ARTIFACTS.fullmatch(name) is not None


def record_type(key: str, name: str) -> type[Record] | None:
    """Which of our own artifacts it is, or None for an event of torch's."""
    return artifacts().get(name) if key == "artifact" else None


def read_record(kind: type[Record], envelope: Envelope) -> Record | StoredRecord:
    """One of our own artifacts, or where it stays.

    Raises:
        ValueError: Its payload is not JSON (it was cut off, say).
        TypeError: It is no object.
    """
    if kind.stays:
        place = envelope.payload and envelope.payload.place()
        return StoredRecord(kind, envelope.name.removeprefix(PREFIX), place)
    compile_id = str(envelope.compile_id or "")
    return decode(kind, {"compile_id": compile_id, **envelope.json_object()})


def read(envelope: Envelope) -> object | None:
    """The event in an envelope.

    Returns:
        An instance of the event's class, an `UnknownEvent`, or None for a known one that
            nothing uses.

    Raises:
        ValueError: The event is not what its class expects (a payload that was cut off, say).
        TypeError: As above.
        RecursionError: Its payload is nested thousands deep.
    """
    event = EVENTS.get((envelope.key, envelope.name))
    if event is not None:
        return event.read(envelope)
    record = record_type(envelope.key, envelope.name)
    if record is not None:
        return read_record(record, envelope)
    if pass_name(envelope.key, envelope.name):
        return GraphLogged.read(envelope)
    if is_known(envelope.key, envelope.name):
        return None
    return UnknownEvent(f"{envelope.key}:{envelope.name}" if envelope.name else envelope.key)
