"""What changed in the graphs: operators that are new, gone, or have become others."""

import bisect
import collections
import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from inspector.features.diff.nodes import Operator, matched, operators_of
from inspector.features.graph.reading import read_graphs
from inspector.run.graph import Graph, Stage
from inspector.run.run import Process, Run

# `mul: "f32[8]cpu" = relu * 3;  relu = None`
_ASSIGNED = re.compile(r'\s*(?P<name>\w+)(?:: "[^"]*")? = (?P<code>.*?)(?:;  [\w =]+ = None)?$')
_NAME = re.compile(r"(?<![\w.'\"])[A-Za-z_]\w*(?![\w(])")
_STAGES = (
    frozenset({Stage.DYNAMO}),
    frozenset({Stage.FORWARD, Stage.BACKWARD, Stage.INFERENCE}),
    frozenset({Stage.POST_GRAD}),
)
"""In the compiler's order: what a stage has otherwise, all that follow have otherwise as well."""
_OFTEN = {"gone": "fewer", "new": "more"}
KINDS = ("retargeted", "new", "gone", "arguments", "inputs", "output", "fewer", "more")
"""Kinds of changes, what matters most first."""
_LongGraph: TypeAlias = list[Operator]


@dataclasses.dataclass(frozen=True, slots=True)
class OperatorChange:
    """Equal changes of operators on one line.

    Attributes:
        kind: Kind of change: ``new``, ``gone``, ``retargeted``, ``arguments`` (other constants),
            ``inputs`` (other input operators), ``output`` (another dtype or size), ``fewer`` or
            ``more``. The last two mean that the line has the operator on both sides, but not
            equally often.
        before: Operator, arguments, inputs or output in A, depending on ``kind``; otherwise empty.
        file: File of the user line, in B if B has it, otherwise in A.
        count: Number of operators with this change.
    """

    kind: str
    before: str
    after: str
    file: str
    line: int
    code: str
    count: int


@dataclasses.dataclass(frozen=True, slots=True)
class GraphsDiff:
    """The graphs of both sides at the first stage where they differ.

    Attributes:
        stage: Compared stage: ``dynamo``, ``aten`` or ``post-grad``. If the graphs are equal, it is
            the last stage that both sides have.
        before: Number of operators in each graph of A, in order; empty without graphs.
        same: Number of operators that are the same on both sides.
        moved: Number of these operators that are at a different position in the order.
        unread: What could not be compared, a sentence each.
    """

    stage: str
    before: tuple[int, ...]
    after: tuple[int, ...]
    changes: tuple[OperatorChange, ...]
    same: int
    moved: int
    unread: tuple[str, ...] = ()

    @property
    def matched(self) -> int:
        """Operators that are on both sides, changed or not."""
        alone = {"new", "gone", *_OFTEN.values()}
        return self.same + sum(item.count for item in self.changes if item.kind not in alone)

    @property
    def is_same(self) -> bool:
        """Whether every operator is the same, in the same graph."""
        return not self.changes and self.before == self.after


NO_GRAPHS = GraphsDiff("", (), (), (), 0, 0)


def graphs_diff(before: Run, after: Run) -> GraphsDiff:
    """Compares the graphs of two runs, whose logs must still be there.

    Graphs of a code object's first compilations are compared with each other, and so on.

    Raises:
        OSError: A log is gone.
    """
    found = NO_GRAPHS
    for stages in _STAGES:
        unread: list[str] = []
        sides = [_read(run, stages, unread) for run in (before, after)]
        if not all(sides):
            continue
        found = _compared(before, after, sides[0], sides[1], stages)
        found = dataclasses.replace(found, unread=tuple(unread))
        if not found.is_same:
            break
    return found


def _read(run: Run, stages: frozenset[Stage], unread: list[str]) -> dict[int, _LongGraph]:
    """The operators of all graphs, by how often their code objects were compiled before."""
    rounds: dict[int, list[tuple[Graph, Mapping[str, str]]]] = {}
    for process in run.processes:
        number = {
            str(item.compile_id): item.compile_id.frame_compile_id or 0
            for frame in process.frames
            for item in frame.compilations
        }
        for graph, texts in _with_texts(run, process, stages, unread):
            rounds.setdefault(number.get(graph.compile_id, 0), []).append((graph, texts))
    return {number: operators_of(graphs) for number, graphs in rounds.items()}


def _with_texts(
    run: Run, process: Process, stages: frozenset[Stage], unread: list[str]
) -> Iterator[tuple[Graph, Mapping[str, str]]]:
    graphs, problems = read_graphs(process.graphs.places, run.roots, stages)
    unread += [f"not compared: {text}" for text in problems]
    names = {stage.value.replace("-", "_") for stage in stages}
    texts: dict[tuple[str, str], list[str]] = {}
    for place in process.graphs.places:
        if place.stage in names:
            texts.setdefault((place.compile_id, place.stage), []).append(place.read_text())
    for graph in graphs:
        held = texts[graph.compile_id, graph.stage.value.replace("-", "_")]
        yield graph, _written(held.pop(0)) if held else {}


def _written(text: str) -> dict[str, str]:
    """What torch writes for each node, with the names of other nodes left out."""
    lines = (match for line in text.split("\n") if (match := _ASSIGNED.match(line)))
    codes = {match["name"]: match["code"] for match in lines}
    inputs = set(re.findall(r"(\w+): \"", text.partition("):\n")[0]))
    names = codes.keys() | inputs

    def replaced(match: re.Match[str]) -> str:
        return "_" if match[0] in names else match[0]

    return {name: _NAME.sub(replaced, code) for name, code in codes.items()}


def _compared(
    before: Run, after: Run, old: Mapping[int, _LongGraph], new: Mapping[int, _LongGraph],
    stages: frozenset[Stage],
) -> GraphsDiff:  # fmt: skip
    changes: collections.Counter[OperatorChange] = collections.Counter()
    same = moved = 0
    for number in sorted(old.keys() & new.keys()):  # what one side alone compiles again is counted
        one, other = old[number], new[number]
        pairs = matched(one, other)
        found = [
            dataclasses.replace(item, kind=_OFTEN[item.kind]) if _key(item) in lines else item
            for lines in [_lines(before, one) & _lines(after, other)]
            for item in _changes(before, after, one, other, pairs)
        ]
        changes.update(found)
        alone = {"new", "gone", *_OFTEN.values()}
        same += len(pairs) - sum(item.kind not in alone for item in found)
        moved += _moved(pairs)
    name = "aten" if Stage.FORWARD in stages else next(iter(stages)).value
    return GraphsDiff(
        name, _sizes(old), _sizes(new),
        tuple(dataclasses.replace(item, count=number)
              for item, number in sorted(changes.items(), key=lambda i: KINDS.index(i[0].kind))),
        same, moved,
    )  # fmt: skip


def _lines(run: Run, operators: _LongGraph) -> set[tuple[str, str]]:
    """What each line has, by the text of the line: its number can be another one."""
    items = (_placed(run, item, "", shown(item), "") for item in operators if item.node.line)
    return {(item.before, item.code) for item in items}


def _key(change: OperatorChange) -> tuple[str, str]:
    return (change.before or change.after, change.code) if change.kind in _OFTEN else ("", "")


def _sizes(rounds: Mapping[int, _LongGraph]) -> tuple[int, ...]:
    found = collections.Counter(
        (number, item.graph.process, item.graph.name)
        for number in rounds
        for item in rounds[number]
    )
    return tuple(found.values())


def _moved(pairs: Mapping[int, int]) -> int:
    """How many operators have to be taken out, so that the others are in the same order."""
    ends: list[int] = []  # of increasing sequences, by their length
    for a in sorted(pairs):
        at = bisect.bisect_left(ends, pairs[a])
        ends[at : at + 1] = [pairs[a]]
    return len(pairs) - len(ends)


def _changes(
    before: Run, after: Run, old: _LongGraph, new: _LongGraph, pairs: Mapping[int, int]
) -> Iterator[OperatorChange]:
    """In the order of B, what is gone behind what stands before it."""
    partner = {b: a for a, b in pairs.items()}
    gone = [at for at in range(len(old)) if at not in pairs]
    for b, item in enumerate(new):
        a = partner.get(b)
        while gone and a is not None and gone[0] < a:
            at = gone.pop(0)
            yield _placed(before, old[at], "gone", shown(old[at]), "")
        if a is None:
            yield _placed(after, item, "new", "", shown(item))
        else:
            yield from _of_pair(after, old[a], item, pairs)
    yield from (_placed(before, old[at], "gone", shown(old[at]), "") for at in gone)


def _of_pair(
    run: Run, one: Operator, other: Operator, pairs: Mapping[int, int]
) -> Iterator[OperatorChange]:
    inputs = tuple(pairs.get(at, -1) for at in one.inputs)
    both_known = -1 not in inputs and -1 not in other.inputs
    if one.node.target != other.node.target:
        yield _placed(run, other, "retargeted", shown(one), shown(other))
    elif one.tensors != other.tensors:
        yield _placed(run, other, "output", *_outputs(one, other))
    elif one.written and other.written and one.written != other.written:
        yield _placed(run, other, "arguments", one.written, other.written)
    elif both_known and inputs != other.inputs:
        yield _placed(run, other, "inputs", *(", ".join(each.producers) for each in (one, other)))


def _outputs(one: Operator, other: Operator) -> tuple[str, str]:
    """The dtypes, where they differ, else the sizes."""
    dtypes = [", ".join(dtype for dtype, _ in item.tensors) for item in (one, other)]
    if dtypes[0] != dtypes[1]:
        return dtypes[0] or "no tensor", dtypes[1] or "no tensor"
    sizes = (", ".join(f"{list(shape)}".replace("'", "") for _, shape in item.tensors)
             for item in (one, other))  # fmt: skip
    return next(sizes), next(sizes)


def shown(item: Operator) -> str:
    """The operator's name without its namespace: ``gelu``, ``mm``, ``.view``."""
    parts = item.node.target.removesuffix(".default").split(".")
    name = parts[-2] if item.node.target.startswith("aten.") and len(parts) > 2 else parts[-1]  # noqa: PLR2004
    return f".{name}" if item.node.op == "call_method" else name


def _placed(run: Run, item: Operator, kind: str, before: str, after: str) -> OperatorChange:
    line = item.node.line
    if line is None:
        return OperatorChange(kind, before, after, "", 0, "", 1)
    code = line.code or (run.sources.line(line.file, line.line) or "").strip()
    return OperatorChange(kind, before, after, run.roots.shown(line.file), line.line, code, 1)


def counted(changes: Iterable[OperatorChange]) -> Mapping[str, int]:
    """How many operators there are of each kind of change, in the order of what is worst."""
    found: collections.Counter[str] = collections.Counter()
    for item in changes:
        found[item.kind] += item.count
    return {kind: found[kind] for kind in KINDS if found[kind]}
