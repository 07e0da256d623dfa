"""What each pass over a graph changed: as it was recorded, else by the texts around it."""

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

from inspector.features.graph.parsed import target_of
from inspector.features.graph.reading import directions
from inspector.records import passes as records
from inspector.records.passes import PassChanges
from inspector.run.graph_places import GraphPlace
from inspector.run.run import Process
from inspector.shared.roots import Roots
from inspector.shared.stack import StackFrame, user_frame
from inspector.trace.graph_text import TextNode, parse_graph
from inspector.trace.inductor import AFTER_ONE
from inspector.trace.inspector_records import stored_record
from inspector.trace.printed_stack import printed_frames

_BEGIN = "before_"
_ENDS = {
    "pre_grad": "pre-grad",
    "after_joint": "joint",
    "forward": "joint",  # which is split where its passes end
    "post_grad": "post-grad",
}
"""What the passes are called that end with a graph of a stage."""
_BETWEEN = "between passes"


@dataclasses.dataclass(frozen=True, slots=True)
class PassNode:
    """A node before or after a pass.

    Attributes:
        arguments: Arguments as torch prints them, or the whole expression if only text is
            available.
        line: The user's line that it is from, or None.
    """

    name: str
    target: str
    arguments: str
    line: StackFrame | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class PassEdit:
    """A node with another target or other arguments."""

    before: PassNode
    after: PassNode


@dataclasses.dataclass(frozen=True, slots=True)
class Pass:
    """A pass that changed a graph.

    Attributes:
        is_reordered: Whether the remaining nodes are in a different order.
    """

    name: str
    added: tuple[PassNode, ...]
    removed: tuple[PassNode, ...]
    changed: tuple[PassEdit, ...]
    is_reordered: bool

    @property
    def retargeted(self) -> list[PassEdit]:
        """Nodes that call something else."""
        return [edit for edit in self.changed if edit.before.target != edit.after.target]

    @property
    def rewired(self) -> list[PassEdit]:
        """Nodes that only take other arguments."""
        return [edit for edit in self.changed if edit.before.target == edit.after.target]

    @property
    def counts(self) -> str:
        """``4 removed, 1 retargeted``."""
        named = {
            "added": self.added,
            "removed": self.removed,
            "retargeted": self.retargeted,
            "with different arguments": self.rewired,
        }
        parts = [f"{len(nodes)} {what}" for what, nodes in named.items() if nodes]
        return ", ".join([*parts, *(["reordered"] if self.is_reordered else [])])

    @property
    def is_change(self) -> bool:
        """Whether it did anything."""
        return bool(self.added or self.removed or self.changed or self.is_reordered)


@dataclasses.dataclass(frozen=True, slots=True)
class GraphPasses:
    """The passes over one graph in one stage.

    Attributes:
        place: Number of the stage's last graph among those of the process.
        name: Name of the graph at this stage, such as ``0/0 post-grad backward``.
        unchanged: Number of recorded passes that changed nothing.
        is_whole: Whether each pass was recorded separately.
    """

    place: int
    name: str
    compile_id: str
    stage: str
    passes: tuple[Pass, ...]
    unchanged: int
    is_whole: bool


def read_passes(process: Process, roots: Roots) -> tuple[list[GraphPasses], list[str]]:
    """The passes of a process in order, and what could not be read: a sentence for each."""
    found: list[GraphPasses] = []
    unread: list[str] = []
    for segment in _segments(process.graphs.places):
        try:
            found += segment.passes(roots)
        except (OSError, ValueError, RecursionError) as error:
            unread.append(f"passes over {segment.name}: {error}")
    return found, unread


@dataclasses.dataclass(slots=True)
class _Segment:
    """The graphs of one stage, from before its passes to after them."""

    number: int
    name: str
    end: GraphPlace
    chain: list[GraphPlace]
    recorded: GraphPlace | None = None

    def passes(self, roots: Roots) -> Iterator[GraphPasses]:
        if self.recorded is not None and self.recorded.recorded is not None:
            record = stored_record(PassChanges, self.recorded.recorded)
            found = tuple(_recorded(record, item, roots) for item in record.passes)
            unchanged = record.unchanged
        elif len(self.chain) > 1:
            steps = list(_by_text(self.chain, roots))
            found = tuple(item for item in steps if item.is_change)
            unchanged = sum(not item.is_change for item in steps[:-1])
        else:
            return
        yield GraphPasses(
            self.number, self.name, self.end.compile_id, _ENDS[self.end.stage], found, unchanged,
            is_whole=self.recorded is not None,
        )  # fmt: skip


def _segments(places: Sequence[GraphPlace]) -> list[_Segment]:
    found: list[_Segment] = []
    chain: list[GraphPlace] = []
    for number, (place, direction) in enumerate(zip(places, directions(places), strict=True)):
        if place.stage.startswith(_BEGIN):
            chain = [place]
        elif place.stage == AFTER_ONE:
            chain.append(place)
        elif place.stage in _ENDS:
            is_split = place.stage == "forward"  # its text is that of a part of the joint graph
            texts = [] if is_split or not chain else [*chain, place]
            name = " ".join(filter(None, (place.compile_id, _ENDS[place.stage], direction)))
            found.append(_Segment(number, name, place, texts))
            chain = chain if is_split else []
        elif place.stage == "passes" and found:
            found[-1].recorded = place
    return found


def _recorded(record: PassChanges, item: records.PassChange, roots: Roots) -> Pass:
    def node(one: records.PassNode) -> PassNode:
        stack = one.stack
        text = record.stacks[stack] if stack is not None and stack < len(record.stacks) else ""
        line = user_frame(printed_frames(text), roots)
        return PassNode(one.name, one.target, one.arguments, line)

    return Pass(
        item.name or _BETWEEN,
        tuple(map(node, item.added)),
        tuple(map(node, item.removed)),
        tuple(PassEdit(node(edit.before), node(edit.after)) for edit in item.changed),
        item.is_reordered,
    )


def _by_text(chain: Sequence[GraphPlace], roots: Roots) -> Iterator[Pass]:
    """What differs between each two texts that follow each other; the last names no pass."""
    rest = "other passes" if len(chain) > 2 else "all passes"  # noqa: PLR2004 - before and after
    graphs = (_nodes(place, roots) for place in chain)
    for place, (before, after) in zip(chain[1:], itertools.pairwise(graphs), strict=True):
        yield _difference(place.pass_name or rest, before, after)


def _nodes(place: GraphPlace, roots: Roots) -> Mapping[str, PassNode]:
    graph = parse_graph(place.read_text())
    nodes = {node.name: _text_node(node, roots) for node in graph.nodes}
    outputs = PassNode("output", "output", ", ".join(graph.outputs))
    return {**nodes, outputs.name: outputs}


def _text_node(node: TextNode, roots: Roots) -> PassNode:
    place = node.place
    line = place if place is not None and roots.is_user(place.file) else None
    return PassNode(node.name, target_of(node.operation) or node.name, node.code, line)


def _difference(name: str, before: Mapping[str, PassNode], after: Mapping[str, PassNode]) -> Pass:
    both = [key for key in before if key in after]
    return Pass(
        name,
        tuple(_without(after, before)),
        tuple(_without(before, after)),
        tuple(
            PassEdit(before[key], after[key])
            for key in both
            if (before[key].target, before[key].arguments)
            != (after[key].target, after[key].arguments)
        ),
        both != [key for key in after if key in before],
    )


def _without(nodes: Mapping[str, PassNode], others: Iterable[str]) -> Iterator[PassNode]:
    gone = set(others)
    return (node for key, node in nodes.items() if key not in gone)
