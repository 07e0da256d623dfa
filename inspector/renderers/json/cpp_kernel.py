"""What is known of a C++ kernel as JSON."""

from __future__ import annotations

from inspector.findings.cpp_wording import reason_text
from inspector.model.cpp_kernel import CppFacts, whole_nests
from inspector.model.cpp_source import TextLoop
from inspector.records.kernels import CppNest, NotTiled


def cpp_fields(facts: CppFacts | None) -> dict[str, object] | None:
    """Its loops: as Inductor said (null where nobody recorded that), and as its text has them."""
    if facts is None:
        return None
    said = facts.said
    return {
        "isa": said.isa or None if said else None,
        "vector_bits": said.vector_bits if said else None,
        "compiler": said.compiler if said else None,
        "cflags": list(said.cflags) if said else None,
        "compiler_vectorises": said.compiler_vectorises if said else None,
        "threads": said.threads if said else None,
        "min_chunk_size": said.min_chunk_size if said else None,
        "parallel_over": list(facts.text.parallel_vars),
        "parallel_regions": facts.text.regions,
        "nests": None if said is None else [_nest(nest) for nest in whole_nests(said)],
        "parsed": {
            "loops": [_loop(loop) for loop in facts.text.loops],
            "unread": list(facts.text.unread),
        },
    }


def _nest(nest: CppNest) -> dict[str, object]:
    return {
        "elements": nest.elements,
        "loops": [
            {
                "var": loop.var,
                "size": loop.size,
                "step": loop.steps,
                "is_vector": loop.is_vector,
                "is_reduction": loop.is_reduction,
                "parallel": loop.parallel,
                "is_collapsed": loop.is_collapsed,
            }
            for loop in nest.loops
        ],
        "not_vectorised": _reason(nest.reason),
        "nodes": list(nest.node_names),
    }


def _reason(reason: NotTiled | None) -> dict[str, object] | None:
    if reason is None:
        return None
    return {
        "kind": reason.kind,
        "text": reason_text(reason),
        "dtypes": list(reason.dtypes),
        "accesses": reason.accesses,
        "operations": reason.operations,
        "strides": [{"index": index, "stride": stride} for index, stride in reason.strides],
    }


def _loop(loop: TextLoop) -> dict[str, object]:
    return {
        "var": loop.var,
        "size": loop.size,
        "step": loop.step or None,
        "line": loop.line,
        "depth": loop.depth,
        "is_innermost": loop.is_innermost,
        "is_vector": loop.is_vector,
        "parallel": loop.parallel,
        "is_collapsed": loop.is_collapsed,
        "gathers": loop.gathers,
    }
