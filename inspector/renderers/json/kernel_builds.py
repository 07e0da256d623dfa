"""Compiled kernels as JSON."""

from __future__ import annotations

from inspector.model.kernel_analysis import ConfigAnalysis, Width
from inspector.model.kernel_build import ConfigBuild, Resources
from inspector.model.kernel_facts import ConfigFacts, KernelFacts
from inspector.model.kernel_prediction import Prediction


def build_fields(facts: KernelFacts) -> dict[str, object]:
    """What a kernel was compiled to."""
    build = facts.build
    analysed = {item.config.values: item for item in facts.configs}
    return {
        "versions": dict(build.versions),
        "error": build.error or None,
        "predicted_ns": facts.time_ns,
        "predicted_is_least": facts.is_least,
        "configs": [_config(config, analysed.get(config.values)) for config in build.configs],
    }


def _config(config: ConfigBuild, facts: ConfigFacts | None) -> dict[str, object]:
    launched = config if facts is None else facts.config
    return {
        "values": dict(config.values),
        "num_warps": config.num_warps,
        "num_stages": config.num_stages,
        "grid": list(launched.grid),
        "grid_is_exact": launched.grid_is_exact,
        "error": config.error or None,
        "resources": None if config.resources is None else _resources(config.resources),
        "analysis": None if facts is None else _analysis(facts.analysis),
        "prediction": None
        if facts is None or facts.prediction is None
        else _prediction(facts.prediction),
    }


def _resources(found: Resources) -> dict[str, object]:
    return {
        "registers": found.registers,
        "spilled_registers": found.spilled_registers,
        "spill_store_bytes": found.spill_store_bytes,
        "spill_load_bytes": found.spill_load_bytes,
        "stack_bytes": found.stack_bytes,
        "shared_bytes": found.shared_bytes,
    }


def _analysis(found: ConfigAnalysis) -> dict[str, object]:
    occupancy = found.occupancy
    return {
        "occupancy": None if occupancy is None else round(occupancy.share, 4),
        "occupancy_limits": []
        if occupancy is None
        else [limit.value for limit in occupancy.limits],
        "loads": [_width(width) for width in found.loads],
        "stores": [_width(width) for width in found.stores],
        "tensor_cores": dict(found.tensor_cores),
        "special_functions": dict(found.special_functions),
        "instructions": {item.kind.value: item.count for item in found.instructions},
        "barriers": found.barriers[0],
        "barriers_in_hot_loop": found.barriers[1],
        "local_instructions": found.local_instructions,
        "code_bytes": found.code_bytes,
        "float64_lines": list(found.float64_lines),
        "int64_lines": list(found.int64_lines),
    }


def _width(width: Width) -> dict[str, object]:
    return {"bits": width.bits, "instructions": width.instructions, "bytes": width.bytes}


def _prediction(found: Prediction) -> dict[str, object]:
    return {
        "time_ns": found.time_ns,
        "bound": found.bound.value,
        "memory_ns": found.memory_ns,
        "compute_ns": found.compute_ns,
        "unit": found.unit or None,
        "launch_ns": found.launch_ns,
        "parts": list(found.parts),
        "blocks": found.blocks,
        "spread_ns": found.spread_ns,
        "is_least": found.is_least,
        "missing": found.missing or None,
    }
