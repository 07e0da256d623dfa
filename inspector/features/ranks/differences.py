"""What one compilation has on some ranks and not on others, and what makes the difference."""

import dataclasses
import difflib
import enum
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence

from inspector.features.compile_time.cache_keys import key_parts, part_words
from inspector.records.execution import OperatorEstimates, OperatorOutput
from inspector.records.recompiles import TensorFacts
from inspector.run.compilation import Compilation
from inspector.run.run import Process, Run
from inspector.shared.stack import StackFrame
from inspector.trace.caches import CacheLookup
from inspector.trace.graph_text import TextNode, parse_graph
from inspector.trace.guard_checks import GlobalStateCheck, check_parts
from inspector.trace.guard_trees import Guard, parse_guards
from inspector.trace.payload import Payload

# A rank's own GPU, stream and files; addresses and ids of objects.
_OWN = re.compile(
    r"(?P<before>\b(?:cuda:|_DeviceGuard\(|set_device\(|get_raw_stream\(|stream|index=|device="
    r"|DeviceProperties\([^)]*?index=))\d+|0x[0-9a-f]{6,}|\b\d{7,}\b|/tmp/\S+|\b[a-z2-7]{50,}\b"
)
_COMMENT = re.compile(r"^\s*#.*\n?", re.MULTILINE)  # which lines of the source it is from
_WAIT = "wait_tensor"
_GRAPH_CACHES = frozenset({"FX graph", "AOTAutograd"})
# Guards on what differs from process to process, whatever the program does.
_IDENTITY = frozenset({"ID_MATCH", "WEAKREF_ALIVE", "DICT_VERSION", "CLOSURE_MATCH", "TYPE_MATCH"})


class Aspect(enum.Enum):
    """What can differ, a cause before what follows from it."""

    COLLECTIVES = "collectives"
    GRAPH = "graph"
    GUARDS = "guards"
    SIZES = "size hints"
    CODE = "code"
    CACHES = "caches"


@dataclasses.dataclass(frozen=True, slots=True)
class Difference:
    """One aspect in which ranks differ.

    Attributes:
        groups: Processes with the same value, the largest group first.
        shown: What each group has, in a few words.
        guards: Guards that differ between the first two groups: of the first, then of the second.
        line: The user's line of the first operator that only one of the first two groups has.
        keys: Components of cache keys that differ between the first two groups.
    """

    aspect: Aspect
    groups: tuple[tuple[int, ...], ...]
    shown: tuple[str, ...]
    guards: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    line: StackFrame | None = None
    keys: tuple[str, ...] = ()


def differences(run: Run, compilations: Mapping[int, Compilation]) -> tuple[Difference, ...]:
    """What differs between processes in one compilation.

    Args:
        compilations: By the index of the process.
    """
    if len(compilations) < 2:  # noqa: PLR2004 - nothing to compare
        return ()
    return tuple(_differences(run, compilations))


def _differences(run: Run, compilations: Mapping[int, Compilation]) -> Iterator[Difference]:
    values = _collectives(run, compilations)
    if len(groups := group_equal(values)) > 1:
        shown = tuple(", ".join(values[group[0]]) or "none" for group in groups)
        yield Difference(Aspect.COLLECTIVES, groups, shown)
    texts = _Texts()
    graphs = {index: _graphs(run.processes[index], item) for index, item in compilations.items()}
    held = {index: item.guards_text for index, item in compilations.items()}
    graph_groups = group_equal({i: tuple(map(texts.plain, each)) for i, each in graphs.items()})
    guard_groups = group_equal(
        {index: frozenset(texts.guards(each)) for index, each in held.items()}
    )
    if len(graph_groups) > 1:
        first, second = (group[0] for group in graph_groups[:2])
        shown, line = _other_operators(graphs[first], graphs[second])
        guards = texts.other_guards(held[first], held[second])
        yield Difference(Aspect.GRAPH, graph_groups, shown, guards, line)
    elif len(guard_groups) > 1:
        first, second = (group[0] for group in guard_groups[:2])
        guards = texts.other_guards(held[first], held[second])
        shown = tuple("; ".join(each[:2]) or "none of these guards" for each in guards)
        yield Difference(Aspect.GUARDS, guard_groups, shown, guards)
    elif len(groups := group_equal(sizes := _sizes(run, compilations))) > 1:
        shown = tuple(_plain_sizes(sizes[group[0]], sizes[groups[0][0]]) for group in groups)
        yield Difference(Aspect.SIZES, groups, shown)
    else:
        codes = {i: _codes(run.processes[i], item) for i, item in compilations.items()}
        logged = {index: tuple(map(texts.plain, each)) for index, each in codes.items() if each}
        if len(groups := group_equal(logged)) > 1:
            yield Difference(Aspect.CODE, groups, ())
    caches = {index: _lookups(run.processes[index], item) for index, item in compilations.items()}
    states = {index: tuple(map(_state, each)) for index, each in caches.items()}
    if len(groups := group_equal(states)) > 1:
        shown = tuple(", ".join(states[group[0]]) or "no lookup" for group in groups)
        keys = _other_keys(caches[groups[0][0]], caches[groups[1][0]])
        yield Difference(Aspect.CACHES, groups, shown, keys=keys)


class _Texts:
    """Texts without what every process has of its own; equal ones are read once."""

    def __init__(self) -> None:
        self._plain: dict[Payload | str, str] = {}
        self._guards: dict[Payload | str, tuple[str, ...]] = {}

    def plain(self, payload: Payload) -> str:
        """A digest of the text."""
        key = payload.md5 or payload
        if key not in self._plain:
            text = _plain(_COMMENT.sub("", payload.text()))
            self._plain[key] = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return self._plain[key]

    def guards(self, payload: Payload | None) -> tuple[str, ...]:
        """What a cache entry is specialized on, except the identity of objects."""
        if payload is None:
            return ()
        key = payload.md5 or payload
        if key not in self._guards:
            self._guards[key] = tuple(
                _plain(text)
                for guard in parse_guards(payload.text()).guards
                if guard.kind not in _IDENTITY and guard.code
                for text in _texts(guard)
            )
        return self._guards[key]

    def other_guards(
        self, first: Payload | None, second: Payload | None
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The guards that only the first has, and those that only the second has, in order."""
        both = self.guards(first), self.guards(second)
        return tuple(item for item in both[0] if item not in both[1]), tuple(
            item for item in both[1] if item not in both[0]
        )


def _texts(guard: Guard) -> list[str]:
    """A guard as text, part by part where torch prints many values as one."""
    match guard.check:
        case GlobalStateCheck():
            return check_parts(guard.code)
        case TensorFacts():
            parts = check_parts(guard.code.removesuffix(")"))[1:]
            return [f"{guard.name}: {part}" for part in parts]
    return [guard.code.replace(guard.source, guard.name) if guard.source else guard.code]


def group_equal(values: Mapping[int, object]) -> tuple[tuple[int, ...], ...]:
    """Processes with equal values, the largest group first."""
    found: dict[object, list[int]] = {}
    for index, value in values.items():
        found.setdefault(value, []).append(index)
    return tuple(sorted(map(tuple, found.values()), key=lambda group: (-len(group), group)))


def _collectives(run: Run, compilations: Mapping[int, Compilation]) -> dict[int, tuple[str, ...]]:
    """The collectives without the waits; of a graph that came out of a cache torch logs none."""
    return {
        index: tuple(
            name.removesuffix(".default").rpartition(".")[2]
            for name in run.processes[index].collectives[str(item.compile_id)]
            if _WAIT not in name
        )
        for index, item in compilations.items()
        if str(item.compile_id) in run.processes[index].collectives
    }


def _sizes(
    run: Run, compilations: Mapping[int, Compilation]
) -> dict[int, tuple[tuple[str, tuple[OperatorOutput, ...]], ...]]:
    """The outputs of all operators, where torch logged them."""
    return {
        index: tuple(
            (operator.name, operator.outputs)
            for record in run.processes[index].records(OperatorEstimates)
            if record.compile_id == str(item.compile_id)
            for operator in record.operators
        )
        for index, item in compilations.items()
    }


def _plain_sizes(
    own: tuple[tuple[str, tuple[OperatorOutput, ...]], ...],
    others: tuple[tuple[str, tuple[OperatorOutput, ...]], ...],
) -> str:
    """The first operator with other outputs than the largest group's, and these."""
    pairs = zip(own, others, strict=False)
    name, outputs = next((mine for mine, other in pairs if mine != other), (own or [("", ())])[0])
    return f"{name} {', '.join(f'{item.dtype}{list(item.shape)}' for item in outputs)}"


def _graphs(process: Process, compilation: Compilation) -> tuple[Payload, ...]:
    name = str(compilation.compile_id)
    return tuple(
        place.text
        for place in process.graphs.places
        if place.compile_id == name and place.stage == "dynamo" and place.text is not None
    )


def _codes(process: Process, compilation: Compilation) -> tuple[Payload, ...]:
    name = str(compilation.compile_id)
    return tuple(item.text for item in process.codes.texts if item.compile_id == name and item.text)


def _lookups(process: Process, compilation: Compilation) -> tuple[CacheLookup, ...]:
    name = str(compilation.compile_id)
    return tuple(
        item for item in process.lookups if item.compile_id == name and item.cache in _GRAPH_CACHES
    )


def _state(item: CacheLookup) -> str:
    return f"{item.cache} {item.state.value}"


def _plain(text: str) -> str:
    return _OWN.sub(lambda match: match["before"] or "", text)


def _other_operators(
    first: Sequence[Payload], second: Sequence[Payload]
) -> tuple[tuple[str, ...], StackFrame | None]:
    """What each of two ranks has that the other has not, and the line of the first of that."""
    try:
        graphs = [parse_graph("\n".join(item.text() for item in each)) for each in (first, second)]
    except ValueError:
        return (), None
    nodes = [(*graph.inputs, *graph.nodes) for graph in graphs]
    first_operations, second_operations = ([node.operation for node in each] for each in nodes)
    only: tuple[list[TextNode], list[TextNode]] = ([], [])
    matcher = difflib.SequenceMatcher(None, first_operations, second_operations, autojunk=False)
    for tag, begin, end, other_begin, other_end in matcher.get_opcodes():
        if tag != "equal":
            only[0].extend(nodes[0][begin:end])
            only[1].extend(nodes[1][other_begin:other_end])
    if any(only):
        line = next((node.place for node in (*only[0], *only[1]) if node.place), None)
        return tuple(_named(each) for each in only), line
    for one, other in zip(*nodes, strict=True):
        if _typed(one) != _typed(other):
            return (_typed(one), _typed(other)), one.place
    return (), None


def _named(nodes: Sequence[TextNode]) -> str:
    names = (node.operation.rpartition(".")[2] or node.name for node in nodes)
    return ", ".join(dict.fromkeys(name.lower() for name in names))


def _typed(node: TextNode) -> str:
    tensor = node.tensor
    return node.name if tensor is None else f"{node.name}: {tensor.dtype}{list(tensor.shape)}"


def _other_keys(first: Sequence[CacheLookup], second: Sequence[CacheLookup]) -> tuple[str, ...]:
    """Components of the caches' keys that two ranks have otherwise, where torch logs them."""
    found: dict[str, None] = {}
    for one, other in zip(*(sorted(each, key=_cache) for each in (first, second)), strict=False):
        if one.cache == other.cache and one.components and other.components:
            parts, others = (key_parts(item.components) for item in (one, other))
            found |= dict.fromkeys(
                part_words(name)
                for name in parts
                if name not in others or _plain(parts[name][1]) != _plain(others[name][1])
            )
    return tuple(found)


def _cache(item: CacheLookup) -> str:
    return item.cache
