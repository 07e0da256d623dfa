"""What a profile needs of a step of the scheduler besides: lines, operands, bytes that move."""

import collections
import dataclasses
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from inspector.features.graph.fusion import Fusion, Step
from inspector.features.graph.in_place import is_copy, writes_a_part
from inspector.features.graph.lookup import origins
from inspector.features.graph.size_hints import hinted_graph
from inspector.features.graph.step_names import named_nodes, short_name
from inspector.features.graph.traffic import Traffic
from inspector.features.profile.functions import arithmetic_bytes, function_bytes
from inspector.run.graph import Node, is_view
from inspector.run.kernel import NodeLine

_COPY = "copy_"  # how an operator is called of which nothing but a copy is left

# What current GPUs compute while they move a byte, roughly: it weighs a product against what is
# fused with it, and says nothing else.
_FLOPS_PER_BYTE = 100
_PACKED = frozenset({"mkl", "mkldnn", "onednn"})


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """One operator's part of a step.

    Attributes:
        line: The user's line, or the operator's name alone.
        operator: The operator of ATen that it was before decompositions, as torch spells it; or the
            program's own kernel.
        share: Of the step's work: all parts add up to 1. A template's is its main operator's.
        functionalized: What the program does in place, as ATen calls it, if this part copies a
            whole tensor for it: AOTAutograd lets no graph change what others see.
        computed: What of that share is a function of each element (`exp`, random numbers), and not
            the bytes that move.
    """

    line: NodeLine
    operator: str
    share: float
    functionalized: str = ""
    computed: float = 0.0

    @property
    def name(self) -> str:
        """The operator's short name: ``add`` of ``aten.add.Tensor``."""
        return short_name(self.operator)


@dataclasses.dataclass(frozen=True, slots=True)
class StepFacts:
    """What a step computes, moves and takes.

    Attributes:
        parts: Its operators; what it computes again for another step, and views, are left out if
            there is anything else.
        operands: Dtypes that its products multiply, by their operations; of other steps those of
            their results, by their bytes.
    """

    parts: tuple[Part, ...]
    reads: Mapping[str, int]
    writes: Mapping[str, int]
    bytes_: int | None
    operands: Mapping[str, int]

    @property
    def functionalization_copies(self) -> Mapping[str, float]:
        """How much of it is copying for what the program does in place, by the operator."""
        return _sums(
            (part.functionalized, part.share) for part in self.parts if part.functionalized
        )

    @property
    def functions(self) -> Mapping[str, float]:
        """How much of it are functions of each element, by the operator."""
        found = _sums((part.name, part.computed) for part in self.parts if part.computed)
        return dict(sorted(found.items(), key=lambda pair: -pair[1]))

    @property
    def dtype(self) -> str:
        """The dtype that most of the work is done in, or an empty string."""
        return max(self.operands, key=self.operands.__getitem__) if self.operands else ""


class FusionFacts:
    """Knows the steps of one graph."""

    def __init__(self, fusion: Fusion) -> None:
        self._fusion = fusion
        self._traffic = Traffic(hinted_graph(fusion.graph, fusion.hints))
        self._origins = origins(fusion.graph)

    def of(self, step: Step) -> StepFacts:
        """The facts of a step."""
        memory = self._fusion.memory
        found: collections.Counter[str] = collections.Counter()
        for node in step.operators:
            if node.flops:
                found[self._operand(node)] += node.flops
        if not found:
            for node in step.operators:
                for tensor in node.tensors:
                    found[tensor.dtype] += node.bytes_ or 1
        return StepFacts(
            parts=tuple(self._parts(step)),
            reads=memory.rooted(step.reads),
            writes=memory.rooted(step.writes),
            bytes_=step.bytes_,
            operands=found,
        )

    def _functionalized(self, step: Step, node: Node, own: Collection[str]) -> str:
        """What is done in place that a node of a step copies a whole tensor for; or nothing.

        That is a clone in front of a library's call that does it, what writes a result back, and
        all that a generated kernel computes anew though the program changes a part of it. Inductor
        says of a clone that it computes the same as the call.
        """
        if step.is_call:
            return ""
        source = self._traffic.in_place.written_back(node)
        if source is not None:
            # In one kernel with its source it is where that is written.
            is_extra = source.name not in own or bool(self._made_anew(step, source))
            return _name(source) if is_extra else ""
        return self._made_anew(step, node)

    def _made_anew(self, step: Step, node: Node) -> str:
        """What changes a part of what others see, if a step computes all of it."""
        is_one = _is_whole(step, node) and node.bytes_ in step.reads.values()
        return _name(node) if is_one and self._traffic.in_place.is_of_caller(node) else ""

    def _parts(self, step: Step) -> Iterator[Part]:
        relaid = [*self._relaid(step)]
        alone = frozenset(node.name for node in _alone(step, step.operators))
        again = (node for node in step.operators if node.name in step.again)
        cloned = [node for node in again if self._functionalized(step, node, alone)]
        own = _alone(step, _own(step)) if cloned else _own(step)
        nodes = [*own, *(node for node, _ in relaid), *cloned]
        weights = [self._weight(step, node) for node in own] + [bytes_ for _, bytes_ in relaid]
        weights += [2.0 * (node.bytes_ or 0) for node in cloned]
        if step.kind == "template":
            named = [node for node in named_nodes(step) if node in nodes] or nodes
            main = max(nodes, key=lambda node: (node.flops or 0, node is named[0]))
            weights = [float(node is main) for node in nodes]
        elif any(map(function_bytes, nodes)):
            weights = _with_functions(nodes, weights, step.bytes_)
        whole = sum(weights)
        for node, weight in zip(nodes, weights, strict=True):
            share = weight / whole if whole else 1 / len(nodes)
            functionalized = self._functionalized(step, node, alone)
            operator = step.name if step.kind == "user_kernel" else operator_of(node)
            operator = _COPY if node in cloned else operator
            computed = function_bytes(node) / whole if whole and weight else 0.0
            stack, _ = self._origins.get(node.name, ((), False))
            kind = node.modules[-1][1] if node.modules else ""
            line = NodeLine(node.name, module=node.module, module_class=kind)
            yield Part(
                line.at(stack[-1]) if stack else line, operator, share, functionalized, computed
            )

    def _relaid(self, step: Step) -> Iterator[tuple[Node, float]]:
        """What reads inputs of the graph that the step copies into another layout, with the bytes.

        Inductor does that for convolutions' weights, by no operator of the graph's. A convolution
        is named in the kernel that its result is an input of, too, and reads nothing there.
        """
        nodes = [
            node for node in step.operators
            if node.name not in step.again or "convolution" not in node.target
        ]  # fmt: skip
        own = {node.name for node in nodes}
        named = {root for node in nodes for root in self._roots(node)}
        for name, bytes_ in step.reads.items():
            node = self._traffic.node(name)
            if node is None or node.op != "placeholder" or name in named:
                continue
            reader = self._reader(name)
            if reader is not None and reader.name not in own:
                yield reader, 2.0 * bytes_

    def _roots(self, node: Node) -> Iterator[str]:
        for name in node.inputs:
            yield name
            source = self._traffic.node(name)
            if source is not None and is_view(source):
                yield from self._roots(source)

    def _reader(self, name: str) -> Node | None:
        """The first operator that reads something, if need be through views."""
        for node in self._fusion.graph.nodes:
            if name in node.inputs and node.op != "output":
                found = self._reader(node.name) if is_view(node) else node
                if found is not None:
                    return found
        return None

    def _weight(self, step: Step, node: Node) -> float:
        """What a node would move and compute as a kernel of its own."""
        moved = self._traffic.unfused_bytes(node) or 0
        # A gather's kernel reads what it gathers, whatever it is gathered from.
        largest = max((step.bytes_ or 0, *step.reads.values(), *step.writes.values()))
        computed = (node.flops or 0) / _FLOPS_PER_BYTE
        return min(moved, largest or moved) + computed

    def _operand(self, node: Node) -> str:
        """The dtype of what a product multiplies: scales, and seeds of dropout, are small."""
        found: collections.Counter[str] = collections.Counter()
        for source in filter(None, map(self._traffic.node, node.inputs)):
            for tensor in source.tensors[:1]:
                found[tensor.dtype] += source.bytes_ or 1
        return max(found, key=found.__getitem__) if found else ""


def _with_functions(
    nodes: Sequence[Node], weights: Sequence[float], moved: int | None
) -> list[float]:
    """The weights of nodes of a kernel that computes functions of each element.

    What it keeps in registers takes little beside these: the bytes that it moves as a whole are
    shared out as the nodes would move them alone.
    """
    alone = sum(weights)
    part = min((moved or alone) / alone, 1.0) if alone else 1.0
    return [
        weight * part + arithmetic_bytes(node) + function_bytes(node)
        for node, weight in zip(nodes, weights, strict=True)
    ]


def _own(step: Step) -> Sequence[Node]:
    work = [node for node in step.operators if not is_view(node)] or list(step.operators)
    own = _alone(step, work)
    # All of it counts for another step: it is a part of the last one's operator.
    return own or work[-1:]


def _is_whole(step: Step, node: Node) -> bool:
    """Whether it writes a part of a tensor, and the step all of that tensor."""
    is_part = writes_a_part(node) and not is_copy(node)
    return is_part and bool(node.bytes_) and node.bytes_ in step.writes.values()


def _sums(items: Iterable[tuple[str, float]]) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, share in items:
        found[name] = found.get(name, 0.0) + share
    return found


def _name(node: Node) -> str:
    """As ATen calls it, whether or not it is in place."""
    return short_name(node.aten or node.target).rstrip("_")


def operator_of(node: Node) -> str:
    """Before decompositions; of a library's call with packed weights, the call itself.

    What is fused into that (``relu``) gives it its name.
    """
    is_packed = node.target.split(".")[0] in _PACKED
    return node.target if is_packed else node.aten or node.target


def _alone(step: Step, work: Sequence[Node]) -> Sequence[Node]:
    return [node for node in work if node.name not in step.again]
