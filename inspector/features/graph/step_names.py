"""How kernels and calls are named in sentences."""

from inspector.features.graph.fusion import Fusion, Step
from inspector.run.graph import Node, is_view

_SHOWN = 2
# What Inductor has templates for.
_PRODUCTS = ("mm", "bmm", "baddbmm", "convolution", "attention")


def described(step: Step, number: int | None = None) -> str:
    """What a step computes, as the author of the model knows it: ``#3 `gelu` (model.py:31)``."""
    mark = "" if number is None else f"#{number} "
    nodes = named_nodes(step)
    if not nodes:
        return f"{mark}{step.name}"
    # What a pattern of Inductor's put there is a part of the user's operator.
    users = [node for node in nodes if not node.target.startswith("prims.")]
    names = list(dict.fromkeys(map(operator_name, users or nodes)))
    shown = ", ".join(names[:_SHOWN]) + ("…" if len(names) > _SHOWN else "")
    lines = (node.line for node in nodes if operator_name(node) in names[:_SHOWN])
    line = next(filter(None, lines), None)
    where = f" ({line.file.rpartition('/')[2]}:{line.line})" if line else ""
    return f"{mark}`{shown}`{where}"


def numbered(fusion: Fusion, step: Step) -> str:
    """The same with the number that the step has in reports."""
    return described(step, number_of(fusion, step))


def number_of(fusion: Fusion, step: Step) -> int:
    """Which step of the generated code it is, from 1."""
    return next(n for n, item in enumerate(fusion.steps, 1) if item.launches == step.launches)


def named_nodes(step: Step) -> list[Node]:
    """Those operators that a step is named after.

    Views, and what another step computes, do not count if anything else is there; of a call it is
    what is called, and of a template that and what stands behind it.
    """
    nodes = [node for node in step.operators if not is_view(node)] or list(step.operators)
    nodes = [node for node in nodes if node.name not in step.again] or nodes
    if step.is_call:
        return nodes[-1:]
    places = [n for n, node in enumerate(nodes) if short_name(node.target).endswith(_PRODUCTS)]
    # What stands before the last product only prepares what it loads.
    return nodes[places[-1] :] if places and step.kind == "template" else nodes


def part_of(fusion: Fusion, step: Step) -> str:
    """What a step does all of whose operators are another step's; empty if one is its own.

    It is half of that operator (the second half of a sum, say), or what the other one needs of it.
    """
    nodes = named_nodes(step)
    if not nodes or any(node.name not in step.again for node in step.operators):
        return ""
    name = f"`{operator_name(nodes[-1])}`"
    number = number_of(fusion, step)
    owners = (
        (place, item)
        for place, item in enumerate(fusion.steps, 1)
        if place != number and nodes[-1].name not in item.again
        and any(node.name == nodes[-1].name for node in item.operators)
    )  # fmt: skip
    place, other = next(owners, (0, None))
    if other is None:
        return f"a part of {name}"
    if place > number:
        return f"copies or reorders inputs of {name}" if other.is_call else f"prepares {name}"
    if set(step.reads) & set(other.writes):
        return f"finishes {name}"
    return f"recomputes {name}"


def operator_name(node: Node) -> str:
    """The user's operator, before decompositions: ``native_layer_norm``."""
    return short_name(node.aten or node.target)


def short_name(target: str) -> str:
    """``add`` of ``aten.add.Tensor``, ``scale`` of ``mine.scale.default``."""
    parts = target.split(".")
    if len(parts) > 1 and (parts[0] in {"aten", "prims"} or parts[-1] == "default"):
        return parts[1] if parts[0] in {"aten", "prims"} else parts[-2]
    return parts[-1]
