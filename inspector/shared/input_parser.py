"""Reads the grammar of `inspector.shared.input_spec`, which is one of Python expressions."""

import ast
import re
from typing import NoReturn

from inspector.errors import UsageError
from inspector.shared.dtypes import find_dtype, parse_dtype
from inspector.shared.input_spec import (
    InputSpec,
    MappingSpec,
    SequenceSpec,
    Spec,
    TensorSpec,
    ValueSpec,
)

_EXAMPLE = "Use a form like `f32[8,3,224,224]`, `ids=i64[1,128]<30522`, `flag=true` or `n=3`."
_ARGUMENT = re.compile(r"\s*(?P<name>[^\W\d][\w.]*)\s*=(?!=)")
# `f32[]`, which is no Python; strings are passed over.
_NO_SIZES = re.compile(
    r"(?P<string>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")|(?<=\w)\[(?P<space>\s*)\]"
)
_WORDS = {"true": True, "false": False, "none": None}


def parse_inputs(texts: tuple[str, ...]) -> tuple[InputSpec, ...]:
    """All ``--input`` texts of a command.

    Raises:
        UsageError: One cannot be read, or two are for the same argument.
    """
    specs = tuple(map(parse_input, texts))
    names = [spec.name for spec in specs if spec.name is not None]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(
                f"`--input {name}=…` is given {names.count(name)} times.",
                "Pass each argument once. For several calls, define `example_inputs` in the file.",
            )
    return specs


def parse_input(text: str) -> InputSpec:
    """One ``--input``.

    Raises:
        UsageError: It is not in the grammar; the detail points at the offending place.
    """
    return _Reader(text).input()


class _Reader:
    """Reads one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        argument = _ARGUMENT.match(text)
        self._name = argument["name"] if argument else None
        value = text[argument.end() :] if argument else text
        self._begin = len(text) - len(value.lstrip())
        self._value = " ".join(text[self._begin :].splitlines())

    def input(self) -> InputSpec:
        """``[ NAME "=" ] value``."""
        if self._name is not None and not self._name.isidentifier():
            self._fail(0, f"`{self._name}` is not an argument name")
        python = _NO_SIZES.sub(lambda found: found["string"] or f"({found['space']})", self._value)
        try:
            tree = ast.parse(python, mode="eval").body
        except SyntaxError as error:
            problem = error.msg if self._value else "the value is missing"
            self._fail(self._begin + max(0, (error.offset or 1) - 1), problem)
        except (ValueError, RecursionError, MemoryError):
            self._fail(self._begin, "this cannot be parsed")
        if isinstance(tree, ast.Tuple) and not self._value.startswith("("):
            self._fail(self._begin, "this is more than one value (use one `--input` for each)")
        return InputSpec(self._name, self._spec(tree))

    def _spec(self, node: ast.expr) -> Spec:
        match node:
            case ast.Name(id=word) if word.lower() in _WORDS:
                return ValueSpec(_WORDS[word.lower()])
            case ast.Name(id=word) if find_dtype(word):
                problem = f"`{word}` has no sizes (`{word}[]` is a 0-dimensional tensor)"
                self._fail_at(node, problem)
            case ast.Name(id=word):
                self._fail_at(node, f"`{word}` is not a valid value (quote strings: `'{word}'`)")
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return SequenceSpec(tuple(map(self._spec, items)), isinstance(node, ast.Tuple))
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                return MappingSpec(tuple((self._key(key), self._spec(it)) for key, it in pairs))
            case ast.Call(func=dtype, args=[], keywords=[]) | ast.Subscript(value=dtype):
                return self._tensor(dtype, _sizes(node))
            case ast.Compare(left=left, ops=[ast.Lt()], comparators=[limit]):
                return self._limited(self._spec(left), limit)
        return ValueSpec(self._literal(node))

    def _literal(self, node: ast.expr) -> bool | float | str | None:
        try:
            value = ast.literal_eval(node)
        except (ValueError, TypeError):
            value = ...
        if not isinstance(value, bool | int | float | str | None):
            self._fail_at(node, "this is not a valid value")
        return value

    def _tensor(self, node: ast.expr, sizes: list[ast.expr]) -> TensorSpec:
        try:
            dtype = parse_dtype(ast.unparse(node))
        except UsageError as error:
            self._fail_at(node, error.message.removesuffix("."), error.next_step)
        return TensorSpec(dtype, tuple(map(self._size, sizes)))

    def _size(self, node: ast.expr) -> int:
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return node.value
        return self._fail_at(node, "a size must be an integer")

    def _limited(self, spec: Spec, node: ast.expr) -> TensorSpec:
        limit = self._size(node)
        if not isinstance(spec, TensorSpec) or spec.dtype.maximum is None:
            self._fail_at(node, f"`<{limit}` applies only to integer tensors")
        if not 1 <= limit <= spec.dtype.maximum + 1:
            name, most = spec.dtype.name, spec.dtype.maximum + 1
            self._fail_at(node, f"the limit of {name} must be between 1 and {most}")
        return TensorSpec(spec.dtype, spec.shape, limit)

    def _key(self, node: ast.expr | None) -> str | int:
        if isinstance(node, ast.Name):
            return node.id
        key = self._literal(node) if node else None
        if not isinstance(key, str | int):
            self._fail_at(node, "a key must be a name, string or integer")
        return key

    def _fail_at(self, node: ast.expr | None, problem: str, next_step: str = "") -> NoReturn:
        before = self._value.encode()[: node.col_offset if node else 0]
        self._fail(self._begin + len(before.decode()), problem, next_step)

    def _fail(self, at: int, problem: str, next_step: str = "") -> NoReturn:
        raise UsageError(
            f"`--input {self._text}`: {problem}, at character {at + 1}.",
            f"{next_step} {_EXAMPLE}".strip(),
            detail=f"{self._text}\n{' ' * at}^",
        )


def _sizes(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.Subscript(slice=ast.Tuple(elts=sizes)):
            return sizes
        case ast.Subscript(slice=size):
            return [size]
    return []
