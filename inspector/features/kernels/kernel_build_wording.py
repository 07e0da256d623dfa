"""What is said about a compiled kernel in a line, the same in every format."""

from collections.abc import Iterator

from inspector.report.wording import count, duration, size
from inspector.run.kernel_facts import Bound, ConfigFacts, KernelFacts
from inspector.run.run import Run

_WIDEST = 128


def shortest(facts: KernelFacts) -> ConfigFacts | None:
    """The configuration with the shortest predicted time; the first where none has a time."""
    timed = [
        (item.prediction.time_ns, number)
        for number, item in enumerate(facts.configs)
        if item.prediction is not None and item.prediction.time_ns is not None
    ]
    if timed:
        return facts.configs[min(timed)[1]]
    return facts.configs[0] if facts.configs else None


def build_line(facts: KernelFacts) -> str:
    """``predicted 12 µs, memory bound · 32 registers · occupancy 100% · loads of 128 bits``."""
    if facts.build.error:
        return f"not compiled: {facts.build.error.strip().partition(chr(10))[0]}"
    chosen = shortest(facts)
    if chosen is None:
        errors = [item.error for item in facts.build.configs]
        if errors and all(errors):
            # Triton's errors end with the line of code and a caret.
            lines = errors[0].strip().splitlines()
            is_marked = len(lines) > 1 and lines[-1].strip() == "^"
            code = f", in `{lines[-2].strip()}`" if is_marked else ""
            return f"not compiled: {lines[0].rstrip(':')}{code}"
        return "no configuration fits on the GPU"
    return " · ".join(_parts(facts, chosen))


def _parts(facts: KernelFacts, chosen: ConfigFacts) -> Iterator[str]:
    prediction, resources = chosen.prediction, chosen.config.resources
    if prediction is not None and prediction.time_ns is not None:
        least = "at least " if prediction.is_least else ""
        is_bound = prediction.bound is not Bound.UNKNOWN
        missing = prediction.missing or "the number of bytes moved is unknown"
        why = prediction.bound.value if is_bound else missing
        yield f"predicted {least}{duration(prediction.time_ns)}, {why}"
    if resources is not None:
        yield count(resources.registers, "register")
        spilled = resources.spill_store_bytes
        if spilled:
            yield f"{size(spilled)} spilled"
        if resources.shared_bytes:
            yield f"{size(resources.shared_bytes)} shared"
    if chosen.analysis.occupancy is not None:
        yield f"occupancy {chosen.analysis.occupancy.share:.0%}"
    for what, widths in (("loads", chosen.analysis.loads), ("stores", chosen.analysis.stores)):
        widest = max(widths, key=lambda width: width.bytes, default=None)
        if widest is not None and widest.bytes and widest.bits < _WIDEST:
            yield f"{what} of {widest.bits} bits"
    if chosen.analysis.tensor_cores:
        yield chosen.analysis.tensor_cores[0][0]
    if len(facts.configs) > 1:
        values = [f"{name}={value}" for name, value in chosen.config.values]
        config = ", ".join([*values, count(chosen.config.num_warps, "warp")])
        yield f"{config}, of {count(len(facts.configs), 'configuration')}"


def total_line(kernels: list[KernelFacts]) -> str:
    """All launches together, or an empty string where no time is known."""
    known = [(item.time_ns, item.launches) for item in kernels]
    times = [time_ns * launches for time_ns, launches in known if time_ns is not None]
    if not times:
        return ""
    missing = len(known) - len(times)
    of = f" (of {len(times)} of {len(known)} kernels)" if missing else ""
    is_least = any(item.is_least for item in kernels if item.time_ns is not None)
    least = "at least " if is_least else ""
    return f"predicted {least}{duration(sum(times))} for generated kernels, one after another{of}"


def compiled_twice(run: Run) -> tuple[str, str] | None:
    """Why, and what to do; None where a run's processes have one ``ptxas``, or none."""
    for process in run.processes:
        found = process.hardware.get("ptxas")
        if not isinstance(found, dict) or not {"torch", "triton"} <= found.keys():
            continue
        why = (
            f"Inductor's compile processes use torch's ptxas ({found['torch']}), but the process "
            f"that times the choices uses Triton's ({found['triton']}). It misses Triton's cache, "
            "and recompiles all choices one by one"
        )
        fix = (
            "Set TRITON_PTXAS_PATH to torch/bin/ptxas in the folder where torch is installed, so "
            "both use the same one."
        )
        return why, fix
    return None
