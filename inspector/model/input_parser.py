"""Reads the grammar of `inspector.model.input_spec`: a tokenizer and a recursive descent."""

from __future__ import annotations

import ast
import dataclasses
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, NoReturn, TypeVar

from inspector.errors import UsageError
from inspector.model.dtypes import DType, find_dtype, parse_dtype
from inspector.model.input_spec import (
    InputSpec,
    MappingSpec,
    SequenceSpec,
    Spec,
    TensorSpec,
    ValueSpec,
)

if TYPE_CHECKING:
    from collections.abc import Callable

_EXAMPLE = "Write it like `f32[8,3,224,224]`, `ids=i64[1,128]<30522`, `flag=true` or `n=3`."
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")
      | (?P<number>[+-]?(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)
      | (?P<word>[^\W\d]\w*(?:\.[^\W\d]\w*)*)
      | (?P<mark>[][(){}<,:=])
      | (?P<end>\Z)
    )""",
    re.VERBOSE,
)
_WORDS = MappingProxyType({"true": True, "false": False, "none": None})
_NESTING = 50

_Item = TypeVar("_Item")


@dataclasses.dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    at: int


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
                "Give each argument once; several calls need `example_inputs` in the file.",
            )
    return specs


def parse_input(text: str) -> InputSpec:
    """One ``--input``.

    Raises:
        UsageError: It is not in the grammar; the detail points at the offending place.
    """
    return _Parser(text).input()


class _Parser:
    """Reads one text from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._depth = 0
        self._tokens = self._tokenize()
        self._position = 0

    def input(self) -> InputSpec:
        """``[ NAME "=" ] value``, and then nothing."""
        name = None
        if self._peek().kind == "word" and self._peek(1).text == "=":
            name = self._next().text
            self._next()
            if not name.isidentifier():
                self._fail(0, f"`{name}` is not the name of an argument")
        value = self._value()
        if self._peek().kind != "end":
            self._unexpected("nothing more")
        return InputSpec(name, value)

    def _value(self) -> Spec:
        token = self._next()
        match token.kind, token.text:
            case "string" | "number", _:
                return ValueSpec(self._literal(token))
            case "word", word:
                return self._word(token, word)
            case "mark", "[" | "(" | "{" as mark:
                return self._container(mark)
        return self._unexpected("a value", token)

    def _container(self, mark: str) -> Spec:
        if mark == "{":
            return MappingSpec(self._items("}", self._pair))
        is_tuple = mark == "("
        return SequenceSpec(self._items(")" if is_tuple else "]", self._value), is_tuple)

    def _word(self, token: _Token, word: str) -> Spec:
        if self._peek().text == "[":
            return self._tensor(token)
        if word.lower() in _WORDS:
            return ValueSpec(_WORDS[word.lower()])
        if find_dtype(word):
            self._fail(token.at, f"`{word}` lacks its sizes (`{word}[]` is a tensor without any)")
        return self._fail(token.at, f"`{word}` is no value (a text needs quotes: `'{word}'`)")

    def _tensor(self, token: _Token) -> TensorSpec:
        try:
            dtype = parse_dtype(token.text)
        except UsageError as error:
            self._fail(token.at, error.message.removesuffix("."), error.next_step)
        self._next()
        shape = self._items("]", self._size)
        limit = None
        if self._peek().text == "<":
            self._next()
            limit = self._limit(dtype)
        return TensorSpec(dtype, shape, limit)

    def _size(self) -> int:
        token = self._next()
        if token.kind != "number" or not token.text.isdecimal():
            self._unexpected("a size (a whole number)", token)
        return int(token.text)

    def _limit(self, dtype: DType) -> int:
        token = self._peek()
        limit = self._size()
        if dtype.maximum is None:
            self._fail(token.at, f"`<{limit}` is for whole numbers, and {dtype.name} has none")
        if not 1 <= limit <= dtype.maximum + 1:
            self._fail(token.at, f"{dtype.name} holds limits from 1 to {dtype.maximum + 1}")
        return limit

    def _pair(self) -> tuple[str | int, Spec]:
        token = self._next()
        key: object = token.text
        if token.kind in {"string", "number"}:
            key = self._literal(token)
        elif token.kind != "word":
            self._unexpected("a key", token)
        if not isinstance(key, str | int):
            self._fail(token.at, "a key is a name, a text or a whole number")
        self._expect(":")
        return key, self._value()

    def _items(self, close: str, item: Callable[[], _Item]) -> tuple[_Item, ...]:
        self._depth += 1
        if self._depth > _NESTING:
            self._fail(self._peek().at, f"this is nested more than {_NESTING} deep")
        items: list[_Item] = []
        while self._peek().text != close or self._peek().kind != "mark":
            items.append(item())
            if self._peek().text != close:
                self._expect(",", f"`,` or `{close}`")
        self._next()
        self._depth -= 1
        return tuple(items)

    def _literal(self, token: _Token) -> int | float | str:
        try:
            value: int | float | str = ast.literal_eval(token.text)
        except (SyntaxError, ValueError):
            self._fail(token.at, f"`{token.text}` is not written as in Python")
        return value

    def _tokenize(self) -> tuple[_Token, ...]:
        tokens: list[_Token] = []
        at = 0
        while not tokens or tokens[-1].kind != "end":
            match = _TOKEN.match(self._text, at)
            if match is None or match.lastgroup is None:
                at += len(self._text[at:]) - len(self._text[at:].lstrip())
                self._fail(at, f"`{self._text[at]}` has no meaning here")
            at = match.end()
            kind = match.lastgroup
            tokens.append(_Token(kind, match[kind], match.start(kind)))
        return tuple(tokens)

    def _peek(self, ahead: int = 0) -> _Token:
        return self._tokens[min(self._position + ahead, len(self._tokens) - 1)]

    def _next(self) -> _Token:
        token = self._peek()
        self._position += 1
        return token

    def _expect(self, mark: str, said: str = "") -> None:
        token = self._next()
        if token.kind != "mark" or token.text != mark:
            self._unexpected(said or f"`{mark}`", token)

    def _unexpected(self, wanted: str, token: _Token | None = None) -> NoReturn:
        token = token or self._peek()
        found = "the text ends" if token.kind == "end" else f"there is `{token.text}`"
        self._fail(token.at, f"{wanted} belongs where {found}")

    def _fail(self, at: int, problem: str, next_step: str = "") -> NoReturn:
        raise UsageError(
            f"`--input {self._text}`: {problem}, at character {at + 1}.",
            f"{next_step} {_EXAMPLE}".strip(),
            detail=f"{self._text}\n{' ' * at}^",
        )
