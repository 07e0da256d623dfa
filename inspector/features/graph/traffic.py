"""The bytes that an operator would read and write as a kernel of its own."""

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence

from inspector.features.graph.in_place import InPlace, adds, is_made, writes_a_part
from inspector.run.graph import Graph, Node, aten_name, is_empty, is_view, tensor_bytes

# They take elements of their first input, by an index.
_GATHERS = frozenset(["embedding", "gather", "index", "index_select", "take", "_unsafe_index"])
# They take rows of their first input, by their second, and add up several of them.
_BAGS = frozenset(["_embedding_bag", "_embedding_bag_forward_only"])


class Traffic:
    """Knows the nodes of a graph."""

    def __init__(self, graph: Graph) -> None:
        self._all = graph.nodes
        self._nodes = {node.name: node for node in graph.nodes}
        self._places = {node.name: place for place, node in enumerate(graph.nodes)}
        self._users: dict[str, list[Node]] = {}
        for node in graph.nodes:
            for name in node.inputs:
                self._users.setdefault(name, []).append(node)
        self._operators = self._grouped()
        self.in_place = InPlace(graph, self._users)

    def in_order(self, names: Iterable[str]) -> tuple[Node, ...]:
        """The operators of these names, each once, in the graph's order."""
        places = sorted({self._places[name] for name in names if name in self._places})
        return tuple(self._all[place] for place in places if self._all[place].is_compute)

    def node(self, name: str) -> Node | None:
        """The node of a name."""
        return self._nodes.get(name)

    def root(self, name: str) -> str:
        """What a value is a view of, or itself."""
        return self.in_place.views_of(name)[-1]

    def is_constant(self, name: str) -> bool:
        """Whether a value is made out of nothing (``full``, ``iota``), wherever it is needed."""
        node = self._nodes.get(name)
        return node is not None and node.is_compute and not node.inputs

    def operator(self, node: Node) -> tuple[Node, ...]:
        """The nodes that were one operator of ATen before it was decomposed, in order."""
        return self._operators[node.name]

    def bytes_of(self, node: Node) -> int | None:
        """What the operator that a node belongs to reads and writes as a kernel of its own.

        That is what eager PyTorch does: ``gelu`` is one kernel, however many nodes it became. Views
        cost nothing, and what changes a tensor in place moves what is new in it.

        Returns:
            Bytes of its inputs and of what it gives; None where a size is unknown.
        """
        group = [item for item in self.operator(node) if not self.in_place.is_done(item)]
        return self._moved(group)

    def unfused_bytes(self, node: Node) -> int | None:
        """What a node reads and writes as a kernel of its own; 0 for a view."""
        return self._moved((node,), only=aten_name(node.target).endswith("_"))

    def taken_bytes(self, node: Node) -> int | None:
        """Of what gathers: the bytes of its first input that it reads. None of any other."""
        name = aten_name(node.target)
        table = self._nodes.get(node.inputs[0]) if node.inputs else None
        if table is None or not table.tensors or name not in _GATHERS | _BAGS:
            return None
        if name in _GATHERS:
            return _least(self._read(table.name), node.bytes_)
        places = self._nodes.get(node.inputs[1]) if len(node.inputs) > 1 else None
        if places is None or not places.tensors:
            return None
        row = tensor_bytes(dataclasses.replace(table.tensors[0], shape=table.tensors[0].shape[1:]))
        shape = places.tensors[0].shape
        if row is None or not all(isinstance(size, int) for size in shape):
            return None
        return row * math.prod(int(size) for size in shape)

    def put_bytes(self, node: Node) -> tuple[int, int] | None:
        """Of what writes a part of its first input: the bytes that it reads and writes there.

        None of any other, and where sizes are not known. ``index_put`` may add, a graph does not
        say whether it does.
        """
        new = self.in_place.new_bytes(node) if writes_a_part(node) else None
        may_add = adds(node) or "index_put" in node.target
        return None if new is None else (new if may_add else 0, new)

    def _moved(self, group: Sequence[Node], *, only: bool = True) -> int | None:
        """What some nodes move as one kernel.

        Args:
            only: Whether of what changes a tensor only what is new moves.
        """
        names = {item.name for item in group}
        reads: dict[str, int | None] = {}
        given: list[int | None] = []
        for item in group:
            if is_view(item):
                continue
            # What it makes itself is written as a whole.
            into = item.inputs and self._outside(item.inputs[0], names) is not None
            is_part = bool(into) and only and self.in_place.changes_its_input(item)
            for name in self.in_place.read(item, is_part=is_part):
                source = self._outside(name, names)
                if source is not None and not self._is_filled(source, item):
                    size, known = self._read(name), reads.get(source, 0)
                    taken = self.taken_bytes(item) if name == item.inputs[0] else None
                    size = size if taken is None else _least(size, taken)
                    reads[source] = None if size is None or known is None else max(size, known)
            if self._is_taken(item, names):
                given.append(self.in_place.written_bytes(item) if is_part else item.bytes_)
        sizes = [*reads.values(), *given]
        return None if None in sizes else sum(size or 0 for size in sizes)

    def results(self, node: Node) -> list[Node]:
        """Those nodes of the same operator whose values others take: it writes them.

        Not what changes a tensor in place, which makes no tensor of its own.
        """
        group = self.operator(node)
        names = {item.name for item in group}
        work = (item for item in group if not is_view(item) and not self.in_place.is_written(item))
        return [item for item in work if self._is_taken(item, names)]

    def _is_taken(self, node: Node, names: set[str]) -> bool:
        users = self._users.get(node.name, ())
        if not users:
            return True  # it is changed in place, say
        return any(
            user.name not in names or (is_view(user) and self._is_taken(user, names))
            for user in users
        )

    def _outside(self, name: str, names: set[str]) -> str | None:
        """Where a value comes from that the operator does not compute itself."""
        while name in names:
            node = self._nodes[name]
            if not is_view(node) or not node.inputs:
                return None
            name = node.inputs[0]
        return name

    def _is_filled(self, name: str, node: Node) -> bool:
        """Whether a kernel of the program's own is given a new tensor, which it does not read."""
        source = self._nodes.get(name)
        return source is not None and is_empty(source) and "triton_kernel_wrapper" in node.target

    def _read(self, name: str) -> int | None:
        """Bytes behind a value; of a view of something smaller (``expand``), the smaller."""
        node = self._nodes.get(name)
        if node is None or not node.tensors:
            return 0
        size = node.bytes_
        if not is_view(node) or not node.inputs:
            return size
        base = self._read(node.inputs[0])
        return None if size is None or base is None else min(size, base) if base else size

    def _key(self, node: Node) -> object:
        """What the parts of a decomposed operator have in common; None of one that is still whole.

        One of several results is of what gives them. A pattern's node (``prepare_softmax_online``)
        is of the operator that its results are of.
        """
        if node.target.endswith("getitem") and node.inputs:
            source = self._nodes.get(node.inputs[0])
            return self._key(source) if source is not None else None
        taken = (user for user in self._users.get(node.name, ()) if user.target.endswith("getitem"))
        known = next((user for user in taken if user.aten), None)
        if known is not None and _packet(known.aten) != _packet(node.target):
            node = known
        if not node.aten or _packet(node.aten) == _packet(node.target):
            return None
        return node.aten, node.earlier[:1], node.is_backward, node.stack

    def _grouped(self) -> dict[str, tuple[Node, ...]]:
        """Joins what one operator was decomposed into: neighbours of the same origin."""
        joined = {node.name: node.name for node in self._all}
        keys = {node.name: self._key(node) for node in self._all}
        # What patterns made does not say of which operator in torch 2.11: of that it is made for.
        for node in reversed(self._all):
            if keys[node.name] is None and is_made(node):
                keys[node.name] = self._made_for(node, keys)
        for node in self._all:
            for name in node.inputs:
                if keys[node.name] is not None and keys.get(name) == keys[node.name]:
                    joined[_first(joined, node.name)] = _first(joined, name)
        groups: dict[str, list[Node]] = {}
        for node in self._all:
            groups.setdefault(_first(joined, node.name), []).append(node)
        return {node.name: tuple(group) for group in groups.values() for node in group}

    def _made_for(self, node: Node, keys: Mapping[str, object]) -> object:
        """The one key of all that takes its values; None where there are several or none."""
        found = set()
        for user in self._users.get(node.name, ()):
            is_item = user.target.endswith("getitem")
            found.add(self._made_for(user, keys) if is_item else keys[user.name])
        return found.pop() if len(found) == 1 else None


def _first(joined: dict[str, str], name: str) -> str:
    """The node that stands for all that a node was joined with (union-find, paths halved)."""
    while joined[name] != name:
        joined[name] = joined[joined[name]]
        name = joined[name]
    return name


def _packet(target: str) -> str:
    """``aten.mul`` of ``aten.mul.Tensor``."""
    return ".".join(target.split(".")[:2])


def _least(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else min(first, second)
