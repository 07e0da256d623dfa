"""What vLLM logs of how it compiles a model: in parts, each for several ranges of tokens."""

from inspector.records.record import Record, artifact, doc


@artifact("vllm_compilation_config", prefix="")
class VllmConfig(Record):
    """vLLM's configuration of one compiled model; lists are comma-separated strings."""

    model: str = ""
    prefix: str = doc("which part of the model is compiled", default="")
    mode: str = ""
    backend: str = ""
    custom_ops: str = ""
    splitting_ops: str = ""
    cudagraph_mode: str = ""
    compile_sizes: str = ""
    compile_ranges: str = doc(
        "endpoints of the token ranges",
        key="compile_ranges_endpoints",
        also="compile_ranges_split_points",
        default="",
    )
    use_inductor_graph_partition: bool = False
    inductor_passes: str = ""
    enabled_passes: str = ""
    dynamic_shapes_type: str = ""


@artifact("vllm_compile_event", prefix="")
class VllmCompileEvent(Record):
    """Whether a whole model came out of vLLM's own cache."""

    kind: str = doc("aot_cache_hit or fresh_compile", key="type", default="")


@artifact("vllm_piecewise_compile_start", prefix="")
class VllmPieceStart(Record):
    """vLLM begins with one part of a model, for one range of tokens or one size."""

    index: int = doc(key="piecewise_index", default=0)
    name: str = doc("name of the submodule", key="submod_name", default="")
    pieces: int = doc(key="total_piecewise_compiles", default=0)
    range_start: int = doc(key="compile_range_start", default=0)
    range_end: int = doc(key="compile_range_end", default=0)
    is_cudagraph_size: bool = doc(key="is_cudagraph_capture_size", default=False)
