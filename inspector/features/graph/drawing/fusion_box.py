"""The box of a kernel: its name, its operators with their lines, what it moves and computes."""

import functools
import itertools
from collections.abc import Iterator, Sequence

from inspector.features.graph.drawing import labels, style
from inspector.features.graph.drawing.fusion_flow import Amount, Kernel
from inspector.features.graph.drawing.picture import Cell, table
from inspector.features.graph.fusion import Step
from inspector.run.graph import Node, is_view

_MOST_ROWS = 10
_NAME = 38
_ROW = 40
_LEAST = 16
_SMALL = 9


def kernel_label(kernel: Kernel, number: int, part: str = "") -> str:
    """An HTML-like label; `part` is what it does where all operators are another kernel's."""
    step = kernel.step
    look = style.look_of(step.call_kind)
    title = f"#{number} {labels.elided(step.name, _NAME)}"
    rows = [[Cell(title, bold=True, size=11, fill=look.fill)]]
    kind = " · ".join(filter(None, (look.word, _common_module(step.operators))))
    rows.append([Cell(kind, size=_SMALL, fill=look.fill)])
    rows += [[Cell(part.replace("`", ""))]] if part else _operators(step)
    line = functools.partial(Cell, size=_SMALL, colour=style.MUTED, edge=look.colour, sides="t")
    footer = enumerate(_footer(kernel, is_part=bool(part)))
    rows += [[line(text, border=int(n == 0))] for n, text in footer]
    frame = style.Look(look.word, look.colour, "white", look.border, look.width)
    return table(rows, frame)


def kernel_tooltip(kernel: Kernel) -> Sequence[str]:
    """Everything that the box has no room for."""
    step = kernel.step
    lines = [step.name, *_footer(kernel)]
    for node in step.operators:
        where = labels.line(node.line)
        shapes = " ".join(map(labels.shape, node.tensors))
        code = node.line.code if node.line else ""
        lines.append(" ".join(filter(None, (node.name, f"= {node.target}", shapes, where, code))))
    return lines


def _common_module(operators: Sequence[Node]) -> str:
    paths = [node.modules for node in operators if not is_view(node)] or [
        node.modules for node in operators
    ]
    common: tuple[tuple[str, str], ...] = ()
    for same in zip(*paths, strict=False):
        if len(set(same)) > 1:
            break
        common = (*common, same[0])
    return labels.module(*common[-1], _NAME) if common else ""


def _operators(step: Step) -> list[list[Cell]]:
    computed = [node for node in step.operators if not is_view(node)]
    shown = [node for node in computed if node.name not in step.again] or computed
    rows = []
    groups = [(key, list(found)) for key, found in itertools.groupby(shown, _origin)]
    for (aten, where), nodes in groups[:_MOST_ROWS]:
        operators = [labels.operator(node) for node in nodes]
        names = labels.listed(operators, _ROW)
        if aten and operators != [aten]:
            names = f"{aten}: {labels.listed(operators, max(_ROW - len(aten), _LEAST))}"
        line = Cell(where, size=_SMALL, colour=style.MUTED, align="right")
        rows.append([Cell(names), line])
    rest = sum(len(nodes) for _, nodes in groups[_MOST_ROWS:])
    rows += [[Cell(f"… {labels.count(rest, 'more operator')}", size=_SMALL)]] if rest else []
    if not shown:
        read = labels.elided(", ".join(step.reads), _NAME)
        rows.append([Cell(f"copies {read}" if read else "computes nothing", size=_SMALL)])
    return rows


def _origin(node: Node) -> tuple[str, str]:
    parts = node.aten.split(".")
    return (parts[1] if len(parts) > 1 else node.aten), labels.line(node.line)


def _footer(kernel: Kernel, *, is_part: bool = False) -> Iterator[str]:
    step = kernel.step
    eager = step.bytes_eager
    if step.bytes_ is None:
        yield "bytes depend on the shapes"
    else:
        now, before = labels.size(step.bytes_), labels.size(eager or 0)
        is_less = eager is not None and eager > step.bytes_ and before != now
        yield f"{now} read and written" + (f", {before} in eager PyTorch" if is_less else "")
    if step.flops:
        intensity = f" · {step.flops_per_byte:,.1f} FLOP/B" if step.flops_per_byte else ""
        yield labels.flops(step.flops) + intensity
    if step.removed:
        sizes = [node.bytes_ for node in step.removed]
        known = Amount.of(size or 0 for size in sizes)
        count = labels.count(len(step.removed), "tensor")
        more = "" if None in sizes else f", {labels.size(known.bytes_)},"
        yield f"{count}{more} never reach{'es' if known.count == 1 else ''} memory"
    yield from _counted(kernel, is_part=is_part)


def _counted(kernel: Kernel, *, is_part: bool) -> Iterator[str]:
    for amount, form, noun in (
        (kernel.parameters, "reads {0}, {1}", "parameter"),
        (kernel.kept, "reads {0} saved by the forward pass, {1}", "tensor"),
        (kernel.saves, "saves {0} for the backward pass, {1}", "tensor"),
        (kernel.returns, "returns {0}, {1}", "tensor"),
    ):
        if amount.count:
            yield form.format(labels.count(amount.count, noun), labels.size(amount.bytes_))
    step = kernel.step
    again = sum(node.name in step.again and not is_view(node) for node in step.operators)
    if again and not is_part:
        yield f"recomputes {labels.count(again, 'operator')} from another kernel"
    views = sum(map(is_view, step.operators))
    if views:
        yield f"and {labels.count(views, 'view')}, at no cost"
