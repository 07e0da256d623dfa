"""How a C++ kernel is put into words, the same in every format."""

import collections
from collections.abc import Iterator

from inspector.records.kernels import CppKernelLoops, CppNest, NotTiled
from inspector.report.wording import count, listed
from inspector.run.cpp_kernel import CppFacts

# VecISA.__str__ in torch/_inductor/cpu_vec_isa.py names what the compiler is asked for.
_NAMES = {
    "avx2": "AVX2",
    "avx512": "AVX-512",
    "avx512 avx512_vnni": "AVX-512 with VNNI",
    "avx512 avx512_vnni amx_tile": "AVX-512 with AMX",
    "asimd": "NEON",
}
_MOST_STRIDES = 3


def isa_name(recorded: CppKernelLoops) -> str:
    """The vector ISA, with the width of its vectors."""
    if not recorded.isa:
        return "no vector ISA"
    return f"{_NAMES.get(recorded.isa, recorded.isa)} ({recorded.vector_bits} bits)"


def vector_text(item: CppFacts) -> str:
    """How many of its loops are vectorised."""
    if not item.loops:
        return "loops of a template, not analyzed" if item.text.is_template else "no loop"
    if item.vector_loops not in {0, item.loops}:
        return f"{item.vector_loops} of {item.loops} loops vectorized"
    how = "vectorized" if item.vector_loops else "not vectorized"
    return f"{count(item.loops, 'loop')}, {how}" if item.loops > 1 else how


def parallel_text(item: CppFacts) -> str:
    """Over which loops threads share the work, or why over none."""
    shared, recorded = item.text.parallel_vars, item.recorded
    if shared:
        threads = f" on {recorded.threads} threads" if recorded and recorded.threads else ""
        return f"parallel over {listed(shared)}{threads}"
    if recorded is not None and item.nests and recorded.threads <= 1:
        return "serial: compiled for one thread"
    return "serial"


def nest_lines(item: CppFacts) -> Iterator[str]:
    """What keeps nests of loops from vectors or from threads, each in a line."""
    recorded = item.recorded
    counted: collections.Counter[str] = collections.Counter()
    for nest in item.nests if recorded is not None else ():
        parts = [f"no vectors: {reason_text(nest.reason)}"] if nest.reason is not None else []
        if recorded and recorded.threads > 1 and not any(loop.parallel for loop in nest.loops):
            parts.append(f"serial: {_why_serial(nest, recorded)}")
        if parts:
            counted[f"{nest_text(nest)}: {'; '.join(parts)}"] += 1
    for line, number in counted.items():
        yield f"{number} times {line}" if number > 1 else line


def _why_serial(nest: CppNest, recorded: CppKernelLoops) -> str:
    """As ``decide_parallel_depth`` decides it (torch/_inductor/codegen/cpp.py, 2.11 to 2.13)."""
    if nest.elements is None:
        return "its size is unknown"
    if nest.elements // recorded.threads < recorded.min_chunk_size:
        return (
            f"{count(nest.elements, 'element')} on {recorded.threads} threads is less than "
            f"{recorded.min_chunk_size} per thread (config.cpp.min_chunk_size)"
        )
    return "Inductor found no loop to parallelize"


def nest_text(nest: CppNest) -> str:
    """Its loops: ``x0 < 32, x1 < 31``."""
    return ", ".join(f"{loop.var} < {loop.size}" for loop in nest.loops)


def reason_text(reason: NotTiled | None) -> str:
    """Why Inductor did not vectorise a nest."""
    match reason:
        case NotTiled(kind="dtype"):
            names = listed([name.removeprefix("torch.") for name in reason.dtypes])
            return f"Inductor does not vectorize {names}"
        case NotTiled(kind="indexing"):
            # Each stride once, with an index that has it.
            strides = {stride: index for index, stride in reversed(reason.strides)}
            shown = [f"stride {stride} in {strides[stride]}" for stride in
                     dict.fromkeys(stride for _, stride in reason.strides)]  # fmt: skip
            return (
                f"{reason.accesses} of {count(reason.operations, 'operation')} are non-contiguous "
                f"accesses ({', '.join(shown[:_MOST_STRIDES]) or 'no strides recorded'}), and "
                "Inductor vectorizes only if fewer than 12% are"
            )
        case NotTiled(kind="short"):
            return (
                f"its innermost loop has few operations and only {reason.size} elements, less than "
                "a quarter of a vector"
            )
        case NotTiled(kind="isa"):
            return "Inductor found no vector ISA that the machine and the compiler support"
        case NotTiled(kind="scalar"):
            return "it computes one element"
    return "the recording contains no reason"
