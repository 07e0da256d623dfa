"""All advice, and which of it is meant for a graph break."""

from __future__ import annotations

import ast

from inspector.features.breaks.advice import (
    branch_side_effects,
    branches,
    captured_sizes,
    caught,
    checkpoints,
    checks,
    error_classes,
    indices,
    item_branches,
    logged_scalars,
    loops,
    masked,
    numpy_numbers,
    output,
    python_code,
    python_values,
    scalars,
    shapes,
    sizes,
)
from inspector.features.breaks.advice.advice import Advice, Break, case
from inspector.features.breaks.advice.moving import call_before
from inspector.report.user_code.code import attribute, called, dotted_name, written

_WRITES = ("json.dump", "json.dumps")


_PACKING = frozenset({"pack_padded_sequence", "pack_sequence", "pad_packed_sequence"})


def _handles_hook(node: ast.expr) -> bool:
    """``x.register_forward_hook`` and the like, and ``handle.remove``."""
    return isinstance(node, ast.Attribute) and (
        node.attr == "remove" or (node.attr.startswith("register_") and node.attr.endswith("hook"))
    )


_PRODUCTS = ("functional.hvp", "functional.jvp", "functional.vhp", "functional.vjp")


ALL: tuple[Advice, ...] = (
    *checkpoints.ADVICE,
    *output.WRITTEN,
    *python_values.ADVICE,
    *numpy_numbers.ADVICE,
    *loops.SHRINKING,
    *indices.INDICES,
    *indices.LENGTHS,
    *captured_sizes.LISTS,
    case("value-in-tensor", where=lambda code: code.has(written("_ in _", "_ not in _"))),
    case("tolist", where=lambda code: code.has(attribute("tolist"))),
    case("tolist-captured"),
    case("equal-or-allclose", where=lambda code: code.has(attribute("equal", "allclose"))),
    *sizes.ADVICE,
    *loops.LOOPS,
    *logged_scalars.ADVICE,
    *loops.POSITIONS,
    *scalars.ADVICE,
    *captured_sizes.NUMBERS,
    *output.REPORTED,
    *checks.ADVICE,
    *caught.ADVICE,
    *branch_side_effects.ADVICE,
    *branches.NEGATIONS,
    *branches.BRANCHES,
    *item_branches.ADVICE,
    *masked.UPDATES,
    *masked.WRITES,
    *shapes.COUNTS,
    *shapes.SHAPES,
    *python_code.SYM_BOOLS,
    case(
        "numpy-random-number",
        where=lambda code: code.has(
            lambda node: dotted_name(node).startswith(("np.random.", "numpy.random."))
        ),
    ),
    case("numpy-function"),
    case("ndarray-method"),
    *python_code.RANDOM,
    case("backward"),
    case("autograd-grad"),
    case("autograd-grad-traced"),
    case("grad-fn"),
    case("retain-grad"),
    case("requires-grad"),
    case("create-with-requires-grad"),
    case("parameter"),
    case("module-backward-hook"),
    case("hook-registered-inside", where=lambda code: code.has(_handles_hook)),
    case("optimizer"),
    case("scheduled-optimizer"),
    case("optimizer-step"),
    case("grad-scaler"),
    case("data-loader"),
    case("distributed-data-parallel"),
    case("fully-sharded"),
    case("profiler-step"),
    case("save-or-load"),
    *python_code.CONTEXTS,
    case("open"),
    case("returns-no-tensor"),
    case("clock"),
    *python_code.ITERATORS,
    case("deepcopy"),
    case("hash-of-tensor", where=lambda code: code.has(written("hash(_)", "id(_)"))),
    case("id-of-tensor"),
    case("class-statement"),
    case("getattr-not-a-function"),
    *python_code.COMPILING,
    *error_classes.ADVICE,
    case("data-ptr"),
    case("storage"),
    case("out-argument"),
    case("resize", where=lambda code: code.has(attribute("resize_", "resize_as_"))),
    case("data-of-another-dtype"),
    case("sparse-tensor"),
    case("strided-nested-tensor"),
    case("is-inference-mode"),
    case("packed-sequence"),
    case(
        "packed-recurrent-layer",
        where=lambda code: any(called(node) in _PACKING for node in code.walk()),
    ),
    case("recurrent-layer"),
    case("scripted-module"),
    case("c-function", tailored=call_before),
    case("custom-operator"),
    case("json-written", where=lambda code: code.has(lambda node: dotted_name(node) in _WRITES)),
    case("json", where=lambda code: code.has(lambda node: dotted_name(node).startswith("json."))),
    case("import"),
    case("foreign-object"),
    case("operator-without-fake"),
    case(
        "value-in-fake",
        where=lambda code: (
            code.function is not None
            and any(
                dotted_name(node).endswith(("register_fake", "impl_abstract"))
                for decorator in code.function.decorator_list
                for node in ast.walk(decorator)
                if isinstance(node, ast.expr)
            )
        ),
    ),
    case(
        "autograd-functional",
        where=lambda code: code.has(
            lambda node: dotted_name(node).endswith(("functional.jacobian", "functional.hessian"))
        ),
    ),
    case(
        "autograd-functional-products",
        where=lambda code: code.has(lambda node: dotted_name(node).endswith(_PRODUCTS)),
    ),
    case("disabled-function"),
    case("graph-break-call"),
    case("asynchronous-collective"),
)
"""By topic; of those that apply to a graph break the first one is the best."""


def best(found: Break) -> Advice | None:
    """The advice for a graph break: one for its situation before one for its kind."""
    fitting = [item for item in ALL if not item.other_way_of and item.applies(found)]
    return min(fitting, key=lambda item: item.is_general, default=None)


def other_ways(advice: Advice, found: Break) -> tuple[Advice, ...]:
    """Other ways to do what an advice does about a graph break."""
    return tuple(item for item in ALL if advice.id in item.other_way_of and item.applies(found))


def elsewhere(found: Break) -> tuple[Advice, ...]:
    """What leaves the line that broke as it is, the best first: settings, and what callers do."""
    fitting = [item for item in ALL if item.holds_elsewhere and item.applies(found)]
    return tuple(sorted(fitting, key=lambda item: item.is_general))


def about(gb_id: str, gb_type: str | None = None) -> tuple[Advice, ...]:
    """All advice on a kind of graph break, in the order of the table."""
    return tuple(item for item in ALL if item.covers(gb_id, gb_type))
