"""The guards of a cache entry: what torch assumes, of which value, because of which line.

Read from ``dynamo_cpp_guards_str``, which ``GuardManagerWrapper.__str__`` writes
(torch/_dynamo/guards.py, 2.4 to 2.13): one line per guard manager or guard, its depth as ``| `` in
front, and a last line with the latency. A line of any other form is kept as it is. The tree is a
flat list with the numbers of the parents, so that its depth costs nothing.
"""

import dataclasses
import re

from inspector.trace.fields import MAX_GUARD_CHARACTERS, nanoseconds
from inspector.trace.guard_checks import Check, MarkCheck, parse_check
from inspector.trace.guard_source import Origin, origin_of, spelled
from inspector.trace.guard_text import TextCause, floats_by_name, split_comment
from inspector.trace.payload import Payload

_LINE = re.compile(r"(?P<depth>(?:\| )*)\+- (?P<rest>\S.*)")
_ROOT = "RootGuardManager"
_MANAGER = re.compile(
    r"(?P<role>KeyManager: |ValueManager: |)(?P<kind>[A-Z]\w*GuardManager|GuardManager): "
    r"source=(?P<source>.*?)(?:, accessed_by=.*?)?(?:, type=(?P<type>.*?))?"
    r"(?:, tag_safe=\((?:True|False), (?:True|False)\))?"
)
_PAIR = re.compile(r"KeyValueManager pair at index=(?P<index>\d{1,9})")
_GUARD = re.compile(r"(?P<kind>[A-Z][A-Z_0-9]*)(?:: (?P<text>.*))?", re.DOTALL)
_LATENCY = re.compile(r"Guard latency = (?P<us>\d{1,15}(?:\.\d{1,9})?) us\s*")
_FIRST_LINES = ("", "TREE_GUARD_MANAGER:")


@dataclasses.dataclass(frozen=True, slots=True)
class Manager:
    """A value that guards look at, with the values reached from it below it.

    Attributes:
        parent: Its parent's number; -1 for the root.
        kind: Torch's class (``GuardManager``, ``DictGuardManager``, …).
        source: Torch's spelling of where the value comes from, or an empty string (the root).
        value_type: Its class as torch prints it; empty for the root and up to torch 2.8.
        pair: Which item of the dict above it is the key or the value of, or None.
    """

    number: int
    parent: int
    kind: str
    source: str = ""
    name: str = ""
    value_type: str = ""
    pair: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Guard:
    """One guard.

    Attributes:
        manager: Number of the manager whose value it checks.
        source: Torch's spelling of the value; empty for the state of the thread and for relations.
        code: What torch prints for it; empty where it has written a relation for another value.
    """

    manager: int
    kind: str
    source: str
    name: str
    origin: Origin
    check: Check
    code: str
    cause: TextCause | None


@dataclasses.dataclass(frozen=True, slots=True)
class GuardTree:
    """The guards of one cache entry.

    Attributes:
        managers: Parents before children; the first is the root.
        latency_ns: Torch's own figure: one evaluation just after the processor's caches were
            emptied (``profile_guard_manager`` in torch/csrc/dynamo/guards.cpp); or None.
    """

    managers: tuple[Manager, ...]
    guards: tuple[Guard, ...]
    latency_ns: int | None
    unknown: tuple[str, ...]


def read_guards(payload: Payload) -> GuardTree:
    """Reads a tree out of its log.

    Raises:
        OSError: The log is gone.
    """
    return parse_guards(payload.text())


def parse_guards(text: str) -> GuardTree:
    """Reads a tree; of any other text, or one that was cut off, what can be read of it."""
    reader = _Reader()
    # Not `splitlines`: a form feed or U+2028 can be in the user's source line.
    for line in floats_by_name(text).split("\n"):
        if not reader.read(line):
            reader.unknown.append(line)
    return GuardTree(
        tuple(reader.managers), tuple(reader.guards), reader.latency_ns, tuple(reader.unknown)
    )


class _Reader:
    def __init__(self) -> None:
        self.managers: list[Manager] = []
        self.guards: list[Guard] = []
        self.unknown: list[str] = []
        self.latency_ns: int | None = None
        # Numbers of the managers above the next line, by depth; a pair of a dict has its dict's.
        self._above: list[int] = []
        self._pair = 0

    def read(self, line: str) -> bool:
        """Takes a line; False where it has no known form."""
        latency = _LATENCY.fullmatch(line)
        if latency:
            self.latency_ns = nanoseconds(float(latency["us"]), 1000)
            return True
        match = _LINE.fullmatch(line)
        if match is None:
            return line.strip() in _FIRST_LINES
        depth = len(match["depth"]) // 2
        rest = match["rest"]
        if rest == _ROOT:
            if depth or self.managers:
                return False
            self.managers.append(Manager(0, -1, _ROOT))
            self._above = [0]
            return True
        if not self._above or depth > len(self._above):
            return False
        if depth:
            del self._above[depth:]
        return self._take(depth, rest)

    def _take(self, depth: int, rest: str) -> bool:
        parent = self._above[-1] if depth else 0
        pair = _PAIR.fullmatch(rest)
        if pair:
            self._pair = int(pair["index"])
            self._above.append(parent)
            return bool(depth)
        manager = _MANAGER.fullmatch(rest)
        if manager and depth:
            number, source = len(self.managers), manager["source"]
            self._above.append(number)
            self.managers.append(
                Manager(
                    number, parent, manager["kind"], source, spelled(source),
                    manager["type"] or "", self._pair if manager["role"] else None,
                )
            )  # fmt: skip
            return True
        guard = _GUARD.fullmatch(rest)
        if guard is None:
            return False
        # Relations of sizes are checked behind the tree.
        source = self.managers[parent].source if depth else ""
        self._add(parent, guard["kind"], source, guard["text"] or "")
        return True

    def _add(self, parent: int, kind: str, source: str, text: str) -> None:
        code, cause = split_comment(text[:MAX_GUARD_CHARACTERS])
        check = parse_check(kind, code, source)
        match check, self.guards[-1:]:
            # Torch 2.13 prints a line for each mark that it looks for.
            case MarkCheck(marks=more), [Guard(check=MarkCheck(marks=marks)) as one] if (
                one.manager == parent
            ):
                check = MarkCheck((*marks, *more))
                self.guards[-1] = dataclasses.replace(
                    one, check=check, code=f"{one.code} and {code}"
                )
                return
        self.guards.append(
            Guard(parent, kind, source, spelled(source), origin_of(source), check, code, cause)
        )
