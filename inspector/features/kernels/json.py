"""Kernels as JSON."""

import dataclasses
from collections.abc import Mapping, Sequence

from inspector.features.kernels.cpp_wording import reason_text
from inspector.features.kernels.report import FORMAT_VERSION, KernelRow, KernelsReport
from inspector.records.gpu_target import GpuTarget, MeasuredDecision
from inspector.records.kernels import CppLoop, CppNest, NotTiled
from inspector.report.json.common import COMMON, versions
from inspector.report.json.encode import Scope, View, Views, tool_version
from inspector.run.cpp_kernel import CppFacts, whole_nests
from inspector.run.kernel import Call, GraphCode, NodeLine
from inspector.run.kernel_analysis import ConfigAnalysis
from inspector.run.kernel_facts import ConfigFacts, KernelFacts, Prediction
from inspector.shared.gpus import Gpu
from inspector.shared.kernel_build import ConfigBuild, Resources


def _definition(scope: Scope) -> NodeLine | None:
    """Place of a user-defined kernel, or null if Inductor generated it."""
    definition = scope.of(KernelRow).kernel.definition
    return definition if definition.file else None


@dataclasses.dataclass(frozen=True, slots=True)
class _Target:
    """Results of code generation for a GPU that is not present."""

    compile_id: str
    target: GpuTarget


def _targets(scope: Scope) -> list[_Target]:
    """Results of code generation for a GPU that is not present, by graph."""
    return [_Target(*target) for target in scope.of(KernelsReport).targets]


def _configs(scope: Scope) -> Sequence[ConfigFacts | ConfigBuild]:
    """The configurations; those that did not compile or do not fit have no analysis."""
    facts = scope.of(KernelFacts)
    analysed = {item.config.values: item for item in facts.configs}
    return [analysed.get(config.values, config) for config in facts.build.configs]


def _occupancy(scope: Scope) -> float | None:
    """Share of the warps of a multiprocessor that can be active, or null."""
    occupancy = scope.of(ConfigAnalysis).occupancy
    return None if occupancy is None else round(occupancy.share, 4)


def _occupancy_limits(scope: Scope) -> list[str]:
    """Limits of the occupancy."""
    occupancy = scope.of(ConfigAnalysis).occupancy
    return [] if occupancy is None else [limit.value for limit in occupancy.limits]


def _instructions(scope: Scope) -> Mapping[str, int]:
    """Number of instructions by kind."""
    return {kind.value: n for kind, n in scope.of(ConfigAnalysis).instructions.items()}


def _nests(scope: Scope) -> Sequence[CppNest] | None:
    """Nests of loops as Inductor made them; null if that was not recorded."""
    recorded = scope.of(CppFacts).recorded
    return None if recorded is None else list(whole_nests(recorded))


def _reason(scope: Scope) -> str:
    """Reason why the loop nest is not vectorized, in one sentence."""
    return reason_text(scope.of(NotTiled))


def _strides(scope: Scope) -> list[dict[str, str]]:
    """Indices with their strides."""
    return [{"index": index, "stride": stride} for index, stride in scope.of(NotTiled).strides]


GPU: Views = {
    Gpu: View(
        """key name compute_capability=capability architecture=architecture.name multiprocessors
        memory_bytes bandwidth_bytes_per_s=bandwidth l2_bytes clock_hz peaks_per_s=peaks sources
        assumed"""
    )
}
_CONFIG = "values{} num_warps num_stages grid grid_is_exact error? resources analysis prediction"
VIEWS: Views = {
    **COMMON,
    **GPU,
    KernelsReport: View(
        """format_version kind tool_version recording=run.meta:recording versions gpu graphs
        kernels=rows libraries targets findings notices""",
        format_version=FORMAT_VERSION,
        kind="kernels",
        tool_version=tool_version,
        versions=versions,
        targets=_targets,
    ),
    GraphCode: View(
        """compile_id direction name? file? alternative? about kernels=kernels.name calls"""
    ),
    Call: View("kind name line arguments aten nodes"),
    KernelRow: View(
        """name=kernel.name language=kernel.language kind=kernel.kind graphs launches is_candidate
        is_user_written=kernel.is_user_written size_hints=kernel.size_hints
        signature=kernel.signature inductor_meta=kernel.inductor_meta options=kernel.options
        aten=kernel.aten nodes=kernel.nodes definition build=facts bytes=kernel.traffic_bytes
        flops=kernel.flops cpp=kernel.cpp source=kernel.source""",
        definition=_definition,
    ),
    NodeLine: View("node file? line? code? module? makes"),
    _Target: View(
        """compile_id measured=target.measured attention=target.attention missing=target.missing
        error=target.error? where=target.where"""
    ),
    MeasuredDecision: View("what detail taken candidates"),
    KernelFacts: View(
        """versions=build.versions{} error=build.error? predicted_ns=time_ns
        predicted_is_least=is_least configs""",
        configs=_configs,
    ),
    ConfigBuild: View(_CONFIG, analysis=lambda _: None, prediction=lambda _: None),
    ConfigFacts: View(
        """values=config.values{} num_warps=config.num_warps num_stages=config.num_stages
        grid=config.grid grid_is_exact=config.grid_is_exact error=config.error?
        resources=config.resources analysis prediction"""
    ),
    Resources: View(
        """registers spilled_registers spill_store_bytes spill_load_bytes stack_bytes
        shared_bytes"""
    ),
    ConfigAnalysis: View(
        """occupancy occupancy_limits loads stores tensor_cores{} instructions float64_lines
        int64_lines""",
        occupancy=_occupancy,
        occupancy_limits=_occupancy_limits,
        instructions=_instructions,
    ),
    Prediction: View(
        """time_ns bound memory_ns compute_ns unit? launch_ns blocks spread_ns is_least
        missing?"""
    ),
    CppFacts: View(
        """isa=recorded.isa? vector_bits=recorded.vector_bits compiler=recorded.compiler
        cflags=recorded.cflags compiler_vectorises=recorded.compiler_vectorises
        threads=recorded.threads min_chunk_size=recorded.min_chunk_size loops vector_loops
        parallel_over=text.parallel_vars nests""",
        nests=_nests,
    ),
    CppNest: View("elements loops not_vectorised=reason nodes=node_names"),
    CppLoop: View("var size step=steps is_vector is_reduction parallel is_collapsed"),
    NotTiled: View("kind text dtypes accesses operations strides", text=_reason, strides=_strides),
}
