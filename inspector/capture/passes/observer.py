"""Observes Inductor's passes over graphs of torch.fx: which nodes each one adds, removes, changes.

Torch logs the graph before all passes of a stage and after them. Each pass runs inside of a
``GraphTransformObserver`` (torch/fx/passes/graph_transform_observer.py, 2.11 to 2.15), whose own
hooks see created and erased nodes, but no node that gets another target or other arguments.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from torch import fx

from inspector.capture.hooks import Called, Hooks
from inspector.capture.writer import emit, guarded
from inspector.records.passes import PassChange, PassChanges, PassEdit, PassNode

_LONG = 300
_GENERIC = "pattern_matcher"
"""What a pass of patterns is called inside of the pass that applies it."""


class _State(NamedTuple):
    """A node at some time; arguments are never written to, but replaced."""

    node: fx.Node
    target: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]


class _Snapshot:
    """The nodes of a graph at some time, as columns: most passes leave all of them alone."""

    def __init__(self, graph: fx.Graph) -> None:
        self.graph = graph
        nodes = list(graph.nodes)
        self._columns = (
            nodes,
            [node.target for node in nodes],
            [node.args for node in nodes],
            [node.kwargs for node in nodes],
        )

    def is_same(self, other: _Snapshot) -> bool:
        """Whether nobody touched a node; to compare arguments could guard on a size."""
        pairs = zip(self._columns, other._columns, strict=True)
        return len(self._columns[0]) == len(other._columns[0]) and all(
            all(map(operator.is_, ours, theirs)) for ours, theirs in pairs
        )

    def states(self) -> dict[str, _State]:
        """The nodes by name."""
        return {state.node.name: state for state in map(_State, *self._columns)}


class _Open:
    """A pass that is running."""

    def __init__(self, name: str, before: _Snapshot) -> None:
        self.name = name
        self.before = before
        self.is_changed = False


class PassObserver(Hooks):
    """Writes ``inspector_passes`` for each stage of a graph that ends."""

    def __init__(self) -> None:
        super().__init__()
        self._open: list[_Open] = []
        self._last: _Snapshot | None = None
        self._forget()

    def _forget(self) -> None:
        self._changes: list[PassChange] = []
        self._unchanged = 0
        self._stacks: dict[str, int] = {}

    def watch(self) -> None:
        """Begins to observe; further calls do nothing."""
        if not self:
            guarded("watch passes", self._watch)

    def _watch(self) -> None:
        from torch.fx.passes.graph_transform_observer import GraphTransformObserver

        self.put(GraphTransformObserver, "__enter__", self._enter)
        self.put(GraphTransformObserver, "__exit__", self._exit)

    def begin_stage(self, module: object) -> None:
        """Takes a graph that no pass of its stage has seen yet."""
        self._open, self._last = [], None
        self._forget()
        if isinstance(module, fx.GraphModule):
            self._last = _Snapshot(module.graph)

    def end_stage(self) -> None:
        """Writes what has changed since the last stage."""
        last, self._last = self._last, None
        if last is not None:
            self._compare("", last, _Snapshot(last.graph))
        if self._changes or self._unchanged:
            emit(PassChanges(tuple(self._changes), self._unchanged, tuple(self._stacks)))
        self._forget()

    def _enter(self, called: Called) -> object:
        guarded("read a graph before a pass", lambda: self._begin(called.owner))
        return called.go()

    def _exit(self, called: Called) -> object:
        result = called.go()
        guarded("read a graph after a pass", lambda: self._end(called.owner))
        return result

    def _begin(self, observer: Any) -> None:
        now = _Snapshot(observer.gm.graph)
        if not self._open and self._last is not None and self._last.graph is now.graph:
            self._compare("", self._last, now)
        self._open.append(_Open(observer.passname, now))

    def _end(self, observer: Any) -> None:
        if not self._open:
            return  # it began before we did
        now = _Snapshot(observer.gm.graph)
        names = [item.name for item in self._open]
        ended = self._open.pop()
        name = " / ".join(dict.fromkeys(n for n in names if n != _GENERIC)) or _GENERIC
        is_changed = self._compare(name, ended.before, now) or ended.is_changed
        if self._open:
            outer = self._open[-1]
            outer.is_changed |= is_changed
            if outer.before.graph is now.graph:  # what is said of the inner pass counts once
                outer.before = now
            return
        self._last = now
        self._unchanged += not is_changed

    def _compare(self, name: str, before: _Snapshot, after: _Snapshot) -> bool:
        if before.is_same(after):
            return False
        old, new = before.states(), after.states()
        change = PassChange(
            name,
            tuple(self._nodes(state for key, state in new.items() if key not in old)),
            tuple(self._nodes(state for key, state in old.items() if key not in new)),
            tuple(self._edits(old, new)),
            [key for key in old if key in new] != [key for key in new if key in old],
        )
        is_changed = change != PassChange(name)
        if is_changed:
            self._changes.append(change)
        return is_changed

    def _edits(self, old: Mapping[str, _State], new: Mapping[str, _State]) -> Iterator[PassEdit]:
        for name, after in new.items():
            before = old.get(name)
            if before is not None and not all(map(operator.is_, before, after)):
                first, second = self._nodes((before, after))
                if first != second:
                    yield PassEdit(first, second)

    def _nodes(self, states: Iterable[_State]) -> Iterator[PassNode]:
        from inspector.capture.graphs.logged_graph import target_name
        from inspector.capture.graphs.module_places import stack_of

        for node, target, args, kwargs in states:
            words = [*map(repr, args), *(f"{key}={value!r}" for key, value in kwargs.items())]
            stack = self._stacks.setdefault(stack_of(node), len(self._stacks))
            called = target_name(target) if node.op != "output" else "output"
            yield PassNode(node.name, called, ", ".join(words)[:_LONG], stack)
