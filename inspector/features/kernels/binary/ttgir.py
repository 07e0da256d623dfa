"""Reads Triton's GPU code (TTGIR): operations, their types, layouts and source lines.

The textual form of MLIR as Triton 3.6 to 3.9 print it; what is not recognised is kept as an
operation without meaning.
"""

import dataclasses
import itertools
import re
from collections.abc import Iterator

from inspector.features.kernels.binary.sass import SOURCE

_ALIAS = re.compile(r"^(#\w+)\s*=\s*(?!loc\()(.+)$")
_LOC = re.compile(r"^(#loc\d*)\s*=\s*(loc\(.*\))\s*$")
_RESULTS = re.compile(r"^\s*(%[\w#]+(?::\d+)?(?:\s*,\s*%[\w#]+)*)\s*=\s*(.*)$")
_OPCODE = re.compile(r'^\s*"?([a-z_]\w*\.[\w.]+)"?')
_VALUE = re.compile(r"%[\w]+(?:#\d+)?")
_NAME = re.compile(r"%\w+")
_DEFINED_OR_USED = re.compile(r"(%\w+)(?=\s*=)|%\w+")
_BLOCK_ARGUMENT = re.compile(r"%\w+(?=\s*:)")
_TRAILING_LOC = re.compile(r"\s+loc\((#loc\d*|\".*\"|unknown)\)\s*$")
_PLACE = re.compile(r'"([^"]+)":(\d+):\d+')
_ARGUMENT = re.compile(r"(%\w+): (!tt\.ptr<[^>]*>|!tt\.\w+<[^%]*?>|[a-z]\w*)( \{[^}]*\})?")
_LOOPS = frozenset({"scf.for", "scf.while"})
_MASK_AT = {"tt.load": 1, "tt.store": 2, "ttg.async_copy_global_to_local": 2}
_TENSOR = re.compile(r"tensor<((?:\d+x)*)(!tt\.ptr<\w+>|\w+)(?:, (.+))?>$")


@dataclasses.dataclass(frozen=True, slots=True)
class TensorType:
    """Type of a tensor or, without a shape, of a scalar.

    Attributes:
        element: Type of an element: ``f32``, ``i64``, ``!tt.ptr<bf16>``.
        layout: Its layout, aliases resolved, or an empty string.
    """

    shape: tuple[int, ...]
    element: str
    layout: str = ""

    @property
    def pointee(self) -> str:
        """What a pointer points to, or an empty string."""
        found = re.match(r"!tt\.ptr<(\w+)", self.element)
        return found[1] if found else ""


@dataclasses.dataclass(frozen=True, slots=True)
class Operation:
    """One operation (``tt.load``).

    Attributes:
        loops: Numbers of the loops around it, outermost first.
        branches: Conditions around it, and whether it is executed where they hold.
    """

    name: str
    results: tuple[str, ...]
    operands: tuple[str, ...]
    text: str
    line: int
    loops: tuple[int, ...] = ()
    branches: tuple[tuple[str, bool], ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Module:
    """A kernel's TTGIR.

    Attributes:
        arguments: Type by name of argument (``%in_ptr0``).
        divisible: What arguments are known to be multiples of.
        loops: Those of the operations that are loops, numbered from 1 as in `Operation.loops`.
        made_by: The operation by each of its results.
    """

    operations: tuple[Operation, ...]
    arguments: dict[str, str]
    divisible: dict[str, int]
    aliases: dict[str, str]
    loops: tuple[Operation, ...]
    made_by: dict[str, Operation]


def parse_ttgir(text: str) -> Module:
    """Reads a module."""
    names = _Names()
    lines = [names.line(line) for line in text.splitlines()]
    aliases = dict(_matches(_ALIAS, lines))
    places = _Places(dict(_matches(_LOC, lines)))
    arguments, divisible = _arguments(lines)
    operations = tuple(_operations(lines, places))
    return Module(
        operations=operations,
        arguments=arguments,
        divisible=divisible,
        aliases=aliases,
        loops=tuple(item for item in operations if item.name in _LOOPS),
        made_by={result: item for item in operations for result in item.results},
    )


def tensor_type(text: str, module: Module) -> TensorType | None:
    """Reads one type, or None where it is none of those that are read here."""
    text = text.strip()
    found = _TENSOR.match(text)
    if found:
        shape = tuple(int(size) for size in found[1].split("x") if size)
        return TensorType(shape, found[2], _resolved(found[3] or "", module.aliases))
    if re.match(r"(!tt\.ptr<\w+>|[a-z]+\d*)$", text):
        return TensorType((), text)
    return None


def element_bytes(element: str) -> int:
    """Size of an element type: of ``bf16`` 2, of ``f8E4M3FN`` and of ``i1`` 1."""
    digits = re.search(r"\d+", element)
    return max(1, int(digits[0]) // 8) if digits else 1


def mask_of(operation: Operation) -> str | None:
    """The operand that says which elements are accessed, or None for all."""
    at = _MASK_AT.get(operation.name)
    named = _VALUE.findall(operation.text.partition(" : ")[0].partition("{")[0])
    return named[at] if at is not None and len(named) > at else None


def _resolved(layout: str, aliases: dict[str, str]) -> str:
    def spelled(match: re.Match[str]) -> str:
        known = aliases.get(match[0])
        return match[0] if known is None else _resolved(known, aliases)

    return re.sub(r"#\w+(?![\w.])", spelled, layout)


class _Names:
    """Gives every value a name of its own.

    MLIR gives the names of a region that has ended to others: ``%1`` is a pointer in one branch,
    and the condition of the next one.
    """

    def __init__(self) -> None:
        self._scopes: list[dict[str, str]] = [{}]
        self._taken: set[str] = set()

    def line(self, line: str) -> str:
        """The next line, with names that no other value has."""
        body = _TRAILING_LOC.sub("", line).strip()
        if body.startswith("}") and len(self._scopes) > 1:
            self._scopes.pop()
        found = _RESULTS.match(line)
        results, rest = (line[: found.start(2)], found[2]) if found else ("", line)
        used = {name: self._known(name) for name in _NAME.findall(rest)}
        results = _NAME.sub(lambda name: self._define(name[0]), results)
        opens = body.endswith("{")
        if opens:
            self._scopes.append({})
        # What a block, a function or a loop calls its values is theirs.
        if body.startswith("^") or "tt.func" in body:
            rest = _BLOCK_ARGUMENT.sub(lambda name: self._define(name[0]), rest)
        elif opens:
            rest = _DEFINED_OR_USED.sub(
                lambda name: self._define(name[1]) if name[1] else used[name[0]], rest
            )
        else:
            rest = _NAME.sub(lambda name: used[name[0]], rest)
        return results + rest

    def _known(self, name: str) -> str:
        return next((scope[name] for scope in reversed(self._scopes) if name in scope), name)

    def _define(self, name: str) -> str:
        unique = next(
            unique
            for number in itertools.count(1)
            if (unique := name if number == 1 else f"{name}__{number}") not in self._taken
        )
        self._taken.add(unique)
        self._scopes[-1][name] = unique
        return unique


def _matches(pattern: re.Pattern[str], lines: list[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        if line.startswith("#"):
            found = pattern.match(line)
            if found:
                yield found[1], found[2]


def _arguments(lines: list[str]) -> tuple[dict[str, str], dict[str, int]]:
    """Arguments of the public function, and what they are multiples of."""
    header = next((line for line in lines if "tt.func public" in line), "")
    header = header.partition(") attributes {")[0]
    types: dict[str, str] = {}
    divisible: dict[str, int] = {}
    for name, kind, attributes in _ARGUMENT.findall(header):
        types[name] = kind
        found = re.search(r"tt\.divisibility = (\d+)", attributes)
        if found:
            divisible[name] = int(found[1])
    return types, divisible


class _Places:
    """Lines of the kernel's own source by location: the outermost call's."""

    def __init__(self, locations: dict[str, str]) -> None:
        self._locations = locations
        self._known: dict[str, int] = {}

    def line(self, name: str) -> int:
        """Line from 1, or 0 where the location is in no line of it."""
        if name not in self._known:
            self._known[name] = 0  # a location that contains itself ends here
            self._known[name] = self._line(self._locations.get(name, name))
        return self._known[name]

    def _line(self, text: str) -> int:
        call = re.match(r"loc\(callsite\((.+) at (#loc\d*|.+)\)\)$", text)
        if call:
            return self.line(call[2]) or self.line(call[1])
        place = _PLACE.search(text)
        if place:
            return int(place[2]) if place[1].rpartition("/")[2] == SOURCE else 0
        inner = re.search(r"#loc\d*", text)
        return self.line(inner[0]) if inner else 0


def _operations(lines: list[str], places: _Places) -> list[Operation]:
    """Operations in order; a region's end (``}``) carries its operation's location."""
    operations: list[Operation] = []
    # Of what is between braces: the loop, the condition, whether it holds there, and the operation
    # whose location is at the end.
    regions: list[tuple[int, str, bool, int | None]] = []
    number_of_loops = 0
    for line in lines:
        body = _TRAILING_LOC.sub("", line)
        location = _TRAILING_LOC.search(line)
        source_line = places.line(location[1]) if location else 0
        condition, opened = "", None
        if body.lstrip().startswith("}") and regions:
            _, condition, _, opened = regions.pop()
            if location and opened is not None:
                operations[opened] = dataclasses.replace(operations[opened], line=source_line)
        region: tuple[int, str, bool, int | None] = (0, "", True, None)
        found = _operation(body)
        if found is not None:
            name, results, text = found
            operation = Operation(
                name=name,
                results=results,
                operands=tuple(_VALUE.findall(text)),
                text=text.strip(),
                line=source_line,
                loops=tuple(loop for loop, *_ in regions if loop),
                branches=tuple((asked, holds) for _, asked, holds, _ in regions if asked),
            )
            number_of_loops += name in _LOOPS
            loop = number_of_loops if name in _LOOPS else 0
            asked = operation.operands[0] if name == "scf.if" and operation.operands else ""
            region = (loop, asked, True, None if location else len(operations))
            operations.append(operation)
        elif " else " in body:
            region = (0, condition, False, None)
        if body.rstrip().endswith("{"):
            regions.append(region)
    return operations


def _operation(body: str) -> tuple[str, tuple[str, ...], str] | None:
    found = _RESULTS.match(body)
    rest = found[2] if found else body
    opcode = _OPCODE.match(rest)
    if opcode is None or opcode[1] in {"tt.func", "module.attributes"}:
        return None
    results: tuple[str, ...] = ()
    if found:
        first, _, count = found[1].partition(":")
        results = tuple(re.findall(r"%[\w#]+", first))
        if count:
            results = tuple(f"{results[0]}#{index}" for index in range(int(count)))
    return opcode[1], results, rest[opcode.end() :]
