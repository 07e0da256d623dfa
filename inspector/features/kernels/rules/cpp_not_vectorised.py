"""C++ loops that Inductor does not vectorise."""

from collections.abc import Iterator

from inspector.features.kernels.cpp_wording import nest_text, reason_text
from inspector.records.kernels import NotTiled
from inspector.report.rule import Advised, Rule
from inspector.report.severity import Severity
from inspector.report.wording import count
from inspector.run.cpp_kernel import CppFacts

# Below, a loop takes a few µs without vectors, too: no more than it costs to launch it.
_LEAST_ELEMENTS = 16_384
_MOST_SHOWN = 3

_FIXES = {
    "dtype": (
        "Compute in a dtype that Inductor vectorizes: float32, bfloat16, float16, float64, int32, "
        "int64, int8, uint8, bool."
    ),
    "indexing": (
        "Make the last dimension, over which the innermost loop runs, contiguous in all inputs and "
        "outputs."
    ),
    "short": "Put the longest dimension last in memory, or merge the last dimensions (flatten).",
    "isa": "Install a C++ compiler that Inductor can use; unset ATEN_CPU_CAPABILITY=default.",
}
_ALTERNATIVES = {
    "indexing": (
        "images: x.to(memory_format=torch.channels_last) puts the channels last in memory",
        "a slice with a step: call .contiguous() once if it is read more than once",
    ),
    "isa": (
        "torch._inductor.config.cpp.simdlen must be None, or the width of a vector ISA in bits",
    ),
}


class CppNotVectorised(Rule[CppFacts, Advised]):
    """A C++ loop is not vectorized."""

    id = "cpp-not-vectorised"
    severity = Severity.WARNING

    def check(self, facts: CppFacts) -> Iterator[Advised]:
        """Says so where such loops have many elements."""
        nests = [nest for nest in facts.scalar_nests if (nest.elements or 0) >= _LEAST_ELEMENTS]
        if not nests:
            return
        dearest = max(nests, key=lambda nest: nest.elements or 0)
        kind = (dearest.reason or NotTiled("unknown")).kind
        others = dict.fromkeys(nest.reason.kind for nest in nests if nest.reason)
        yield Advised(
            message=f"leaves {len(nests)} of {count(len(facts.nests), 'loop')} unvectorized",
            why="\n".join(
                f"{nest_text(nest)}: {reason_text(nest.reason)}" for nest in nests[:_MOST_SHOWN]
            ),
            fix=_FIXES.get(kind, ""),
            alternatives=(
                *_ALTERNATIVES.get(kind, ()),
                *(_FIXES[other] for other in others if other != kind and other in _FIXES),
            ),
            nodes=dearest.node_names,
        )


RULE = CppNotVectorised()
