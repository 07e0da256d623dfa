"""Real changes of sizes and numbers that are dynamic, and that relations keep in bounds."""

import re
from collections.abc import Iterator, Sequence

from inspector.features.guards.candidates import Candidate
from inspector.features.guards.change import Change, ChangeKind, of_tensor, of_value, resized
from inspector.features.guards.predict import FrameGuards, predict
from inspector.records.recompiles import TensorFacts
from inspector.run.cache_entries.relation import normal, relation_holds, tried, tried_numbers
from inspector.trace.guard_checks import RelationCheck
from inspector.trace.guard_trees import Guard

_SIZE = re.compile(r"(?P<source>[LG]\[.*?)\.size\(\)\[(?P<dimension>\d+)\]")
_CONSTANT = re.compile(r"(?P<what>[^\s=<>]+) (?P<sign>[!=]=) (?P<value>-?\d+(?:\.\d+)?)")
# Of a size: neither 0 nor 1, which has a row of its own.
_NO_ZERO_ONE = re.compile(r"\(?2 <= [^<>=]*\.size\(\)\[\d+\]\)?$")
_INT, _FLOAT = "<class 'int'>", "<class 'float'>"


def relation_candidates(frame: FrameGuards) -> Iterator[Candidate]:
    """Of each relation one change that it refuses, of the first thing in it that is free."""
    own = (guard for guard in frame.entries[-1].guards if guard.source)
    spellings = {normal(guard.source): guard.name for guard in own}
    # The longest source first.
    names = dict(sorted(spellings.items(), key=lambda item: -len(item[0])))
    constants = (_CONSTANT.fullmatch(expression) for _, expression in _relations(frame))
    # Dynamic, and kept at one value all the same.
    fixed = {normal(each["what"]) for each in constants if each and each["sign"] == "=="}
    told: dict[str, list[str]] = {}
    for guard, expression in _relations(frame):
        for source, dimension in _free(frame, expression):
            known = told.setdefault(source, []) if dimension is None else []
            found = _refused(frame, expression, source, dimension, known)
            if found is None:
                continue
            known.append(expression)
            value, change = found
            name = _spelled(source, names)
            what = name if dimension is None else f"{name}.size({dimension})"
            relation = _spelled(expression, names)
            sign = _sign(what, relation)
            if dimension is None and source in fixed and sign != "==":
                continue  # that it is fixed says it all
            refused, held = f"{value}", f"{what} is dynamic as long as `{relation}`"
            if sign == "==":
                code = guard.cause.code.strip() if guard.cause else ""
                by = f" by `{code}`" if code else ""
                refused = "another value"
                held = f"{what} is specialized on {relation.rpartition(' ')[2]}{by}"
            yield Candidate(
                change, what, held, refused, guard.cause,
                is_dynamic=True,
            )  # fmt: skip
            break


def _relations(frame: FrameGuards) -> list[tuple[Guard, str]]:
    """The relations of sizes and numbers of the newest entry, but for what has another row."""
    return [
        (guard, guard.check.expression)
        for guard in frame.entries[-1].guards
        if isinstance(guard.check, RelationCheck)
        and ".stride()" not in guard.check.expression
        and not _NO_ZERO_ONE.match(guard.check.expression)
    ]


def _sign(what: str, relation: str) -> str:
    """How a relation compares something with a constant, if that is all that it says."""
    constant = _CONSTANT.fullmatch(relation)
    return constant["sign"] if constant is not None and constant["what"] == what else ""


def _free(frame: FrameGuards, expression: str) -> Iterator[tuple[str, int | None]]:
    """The sizes and numbers in a relation that no guard fixes."""
    for match in _SIZE.finditer(expression):
        source, dimension = normal(match["source"]), int(match["dimension"])
        tensor = frame.state.value(source).tensor
        checks = (guard.check for guard in frame.indexes[-1].of(source))
        size = next((check.size for check in checks if isinstance(check, TensorFacts)), ())
        is_fixed = dimension < len(size) and size[dimension] is not None
        if tensor is not None and not is_fixed:
            yield source, dimension
    for source in frame.entries[-1].symbols:
        if ".size()" not in source and ".stride()" not in source and source in expression:
            yield normal(source), None


def _refused(
    frame: FrameGuards,
    expression: str,
    source: str,
    dimension: int | None,
    told: Sequence[str] = (),
) -> tuple[float, Change] | None:
    """The nearest number that a relation refuses and no other entry takes, and the change to it."""
    for number, change in _tries(frame, expression, source, dimension):
        known = change.applied(frame.state).number
        is_news = all(relation_holds(other, known) is not False for other in told)
        is_refused = is_news and relation_holds(expression, known) is False
        if is_refused and predict(frame, change).served_by is None:
            return number, change
    return None


def _tries(
    frame: FrameGuards, expression: str, source: str, dimension: int | None
) -> Iterator[tuple[float, Change]]:
    value = frame.state.value(source)
    if dimension is None:
        now = frame.state.number(source)
        is_int = value.type != _FLOAT
        for number in tried_numbers(expression, now, is_int=is_int):
            yield number, of_value(ChangeKind.INT if is_int else ChangeKind.FLOAT, source, number)
        return
    size = frame.state.number(f"{source}.size()[{dimension}]")
    if not isinstance(size, int) or value.tensor is None:
        return
    for number in tried([expression], size):
        tensor = resized(value.tensor, dimension, number)
        yield number, of_tensor(ChangeKind.SIZE, source, tensor)


def _spelled(expression: str, names: dict[str, str]) -> str:
    """A relation in the user's spelling."""

    def spelled(match: re.Match[str]) -> str:
        source = normal(match["source"])
        return f"{names.get(source, source)}.size({match['dimension']})"

    text = _SIZE.sub(spelled, expression)
    for source, name in names.items():
        text = text.replace(source, name)
    return text
