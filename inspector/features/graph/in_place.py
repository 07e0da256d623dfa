"""What operators move that change a tensor in place: functionalisation makes new tensors of that.

``x[:, pos] = v`` becomes an ``index_put`` of all of ``x``, and ``x.mul_(2)`` a product that is
copied to ``x`` when everything else is done. Eager PyTorch writes what is new, where it belongs.
Where a graph does not tell which of the two a program had, it counts as in place: eager PyTorch
never gets more than it moves.
"""

import dataclasses
import math
import re
from collections.abc import Mapping, Sequence

from inspector.run.graph import Graph, Node, aten_name, is_view, tensor_bytes

_COPIES = {"copy", "copy_"}
# They take the tensor first, and what they write last, if that is a tensor.
_PARTS = _COPIES | {
    "as_strided_scatter", "diagonal_scatter", "index_add", "index_copy", "index_put", "scatter",
    "scatter_add", "scatter_reduce", "select_scatter", "slice_scatter", "_unsafe_index_put",
}  # fmt: skip
_ADDING = ("index_add", "scatter_add", "scatter_reduce")
# Names of Dynamo's nodes: of methods in place, of `x += y`, and of `x[i] = y`.
_NAMED_IN_PLACE = re.compile(
    r"(?:\w*[a-z0-9]_|i(?:add|sub|mul|matmul|truediv|floordiv|mod|pow|and|or|xor|lshift|rshift)"
    r"|setitem)(?:_\d+)?$"
)


class InPlace:
    """Knows what of a graph was done in place."""

    def __init__(self, graph: Graph, users: Mapping[str, Sequence[Node]]) -> None:
        self._nodes = {node.name: node for node in graph.nodes}
        self._places = {node.name: place for place, node in enumerate(graph.nodes)}
        self._users = users
        self._roots: dict[str, str] = {}  # of long chains each is asked for many times
        self._written = {
            name
            for node in filter(self.is_done, graph.nodes)
            for name in self.views_of(node.inputs[-1] if node.inputs else node.name)
        }

    def is_done(self, node: Node) -> bool:
        """Whether it moves nothing in eager PyTorch: the operator before it did it in place.

        AOTAutograd puts a copy at the end, and Inductor makes others of what changes a part of a
        tensor; for the kernels that a program brings along it makes clones, and copies them back.
        """
        if _is_clone_made(node):
            return True
        source = self._source(node)
        if source is None or not source.is_compute or source.flops is not None:
            return False
        if aten_name(node.target) != "copy_":
            return is_made(node) and writes_a_part(node) and _is_in_place(source) is True
        if writes_a_part(source):
            # Of a tensor that parts were written to, one after the other, or a copy of the program.
            same = self._root(source.name) == self._root(node.inputs[0])
            return same or aten_name(source.target) == "copy"
        is_only = len(self._users[node.inputs[-1]]) == 1
        is_its_own = node.stack == source.stack if node.stack else is_only
        known = _is_clone_made(source) or _is_in_place(source)
        return is_its_own if known is None else known

    def written_back(self, node: Node) -> Node | None:
        """What a copy that AOTAutograd made writes to where the program has it; None of others."""
        return self._source(node) if is_copy(node) and self.is_done(node) else None

    def is_of_caller(self, node: Node) -> bool:
        """Whether it is a part of an input that the graph changes for whoever calls it.

        A copy that the program makes first may be gone from the graph, and the name of what is done
        to it is the same.
        """
        base = self._root(node.inputs[0]) if node.inputs else ""
        return any(_is_copied_to(user, base) for user in self._users.get(base, ()))

    def is_written(self, node: Node) -> bool:
        """Whether eager PyTorch makes no tensor for its value, but writes into one."""
        return node.name in self._written or writes_a_part(node)

    def changes_its_input(self, node: Node) -> bool:
        """Whether new values go into its first input as it is, and not into a copy of that."""
        if not writes_a_part(node):
            return False
        if is_copy(node):
            return True
        known = _is_in_place(node)
        if known is not None:
            return known
        root = self._root(node.inputs[0])
        base, taken = self._nodes.get(root), self._users.get(root, ())
        if base is None or not base.is_compute:
            return any(_is_copied_to(user, root) for user in taken)
        return all(self._places[user.name] <= self._places[node.name] for user in taken)

    def read(self, node: Node, *, is_part: bool) -> Sequence[str]:
        """The inputs that it reads: not what it only writes to."""
        if aten_name(node.target).startswith("_foreach_copy"):
            return node.inputs[len(node.inputs) // 2 :]
        return node.inputs[1:] if is_part or is_copy(node) else node.inputs

    def written_bytes(self, node: Node) -> int | None:
        """Bytes of the new values, and of what they are added to; None for unknown sizes."""
        size = self.new_bytes(node)
        return 2 * size if adds(node) and size is not None else size

    def new_bytes(self, node: Node) -> int | None:
        """Bytes of the new values of what writes a part; None for unknown sizes."""
        values, whole = self._nodes.get(node.inputs[-1]), node.bytes_
        if is_copy(node) or values is None or not values.tensors or not node.tensors:
            return whole
        given = node.tensors[0]
        new = tensor_bytes(dataclasses.replace(values.tensors[0], dtype=given.dtype))
        single = tensor_bytes(dataclasses.replace(given, shape=()))
        indices = [self._nodes.get(name) for name in node.inputs[1:-1]]
        places = [index.tensors[0] for index in indices if index is not None and index.tensors]
        if new is not None and new == single and places:
            # One value for all places: rows of the first dimensions, if indices are of those.
            sizes = (tensor_bytes(dataclasses.replace(i, dtype=given.dtype)) for i in places)
            inner = [size for size in given.shape[len(places) :] if isinstance(size, int)]
            new = max(size or 0 for size in sizes) * math.prod(inner)
        return None if whole is None or new is None else min(whole, new)

    def _source(self, node: Node) -> Node | None:
        if not writes_a_part(node):
            return None
        return self._nodes.get(self.views_of(node.inputs[-1])[-1])

    def _root(self, name: str) -> str:
        """The tensor that a view, or what parts were written to, is of."""
        chain = [name]
        for _ in self._nodes:  # a circle in a damaged recording ends
            node = self._nodes.get(chain[-1])
            known = self._roots.get(chain[-1])
            if known is not None or node is None or not node.inputs:
                break
            if not (is_view(node) or writes_a_part(node)):
                break
            chain.append(node.inputs[0])
        root = self._roots.get(chain[-1], chain[-1])
        self._roots.update(dict.fromkeys(chain, root))
        return root

    def views_of(self, name: str) -> list[str]:
        """A value, and what it is a view of, up to what is none."""
        found = [name]
        for _ in self._nodes:  # a circle in a damaged recording ends
            node = self._nodes.get(found[-1])
            if node is None or not node.inputs or not is_view(node):
                break
            found.append(node.inputs[0])
        return found


def is_copy(node: Node) -> bool:
    """Whether it writes a value to where another tensor is, as a whole."""
    return aten_name(node.target) in _COPIES and len(node.inputs) > 1


def writes_a_part(node: Node) -> bool:
    """Whether it gives its first input with new values in it, which may be a part of it."""
    return aten_name(node.target).removesuffix("_") in _PARTS and len(node.inputs) > 1


def adds(node: Node) -> bool:
    """Whether new values are added to what is there, which is read for it."""
    return any(aten_name(name).startswith(_ADDING) for name in (node.target, node.aten))


def is_made(node: Node) -> bool:
    """Whether a pass of Inductor's made it."""
    return node.is_compute and not node.stack and not node.earlier


def _is_clone_made(node: Node) -> bool:
    return is_made(node) and aten_name(node.target) == "clone"


def _is_in_place(node: Node) -> bool | None:
    """Whether the program had it in place, by the name that Dynamo gave it; None for others.

    A node is called by its operator, or by the variable that the program gives it to.
    """
    if aten_name(node.target).endswith("_"):
        return True
    first = re.sub(r"_\d+$", "", node.earlier[0]) if node.earlier else ""
    if first and first in {aten_name(node.target), aten_name(node.aten)}:
        return False
    return True if first and _NAMED_IN_PLACE.match(node.earlier[0]) else None


def _is_copied_to(user: Node, name: str) -> bool:
    return aten_name(user.target) == "copy_" and user.inputs[0] == name
