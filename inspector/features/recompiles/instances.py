"""Several objects that share what torch compiled for one function, and with it one limit."""

import itertools
import re
from collections.abc import Iterator, Sequence

from inspector.features.recompiles.around_calls import limit_of
from inspector.features.recompiles.case import FixCase
from inspector.features.recompiles.changes import also_changed
from inspector.features.recompiles.fix import fixes
from inspector.features.recompiles.fix_shared import ENVIRONMENT
from inspector.features.recompiles.fix_values import is_data
from inspector.features.recompiles.wording import changed, values
from inspector.report.wording import listed
from inspector.run.compilation import Frame
from inspector.run.recompile import OtherInstance, Recompile, RecompileClass
from inspector.trace.compile_id import CompileId

_C = RecompileClass
_MOST_TOLD = 4
_MOST_DIFFERENCES = 3
# What torch can keep as data of one program, each as its own advice says.
_AS_DATA = frozenset({_C.INT, _C.FLOAT, _C.SIZE})
_CHANGES = re.compile(r" change(s?)( \(|$)")
_OF_TORCH = "torch.nn."


def other_instances(every: Sequence[Recompile]) -> dict[CompileId, OtherInstance]:
    """Of all recompilations of a function those for another object, with that.

    What changes in one object too is no matter of several objects.
    """
    changing = {(item.kind, item.name) for item in every if item.other_instance is None}
    return {
        item.compile_id: item.other_instance
        for item in every
        if item.other_instance is not None and (item.kind, item.name) not in changing
    }


def shared_instances(frame: Frame) -> dict[str, tuple[int, str]]:
    """Of the objects that share a function, by source: how many there are, and their classes."""
    every = [item.recompile for item in frame.compilations if item.recompile is not None]
    found: dict[str, list[OtherInstance]] = {}
    for item in other_instances(every).values():
        found.setdefault(item.name, []).append(item)
    return {name: (_differing(each), _classes(each)) for name, each in found.items()}


def instances_message(case: FixCase, items: Sequence[Recompile], limit: int) -> str:
    """``12 instances of LM share step and its limit of 8, and need 3 cache entries: … differs``."""
    found = _instances(case)
    classes = _classes(found)
    owner = case.function.rpartition(".")[0].rpartition(".")[2]
    of = "" if owner == classes else f" of {classes}"
    function = "torch's `inner`" if case.site.parameters.is_wrapper else case.function
    number, differing = _count(found), _differing(found)
    # What the objects have otherwise; what else a call had otherwise is none of it.
    differences = dict.fromkeys(
        _differs(shown)
        for item, reader in zip(case.items, items, strict=True)
        for own, shown in zip(_all(item), _all(reader), strict=True)
        if _is_of_instance(own)
    )
    if any(item.hit_limit for item in case.items):
        more = ", so some of them run eagerly"
    else:
        more = f", and need {differing} cache entries" if differing < number else ""
    return (
        f"{number} instances{of} share {function} and its limit of {limit}{more}: "
        f"{' and '.join(list(differences)[:_MOST_DIFFERENCES])}"
    )


def instance_lines(items: Sequence[Recompile]) -> Iterator[str]:
    """What each of them has otherwise."""
    for item in items[:_MOST_TOLD]:
        entry = f" (cache entry {item.entry})" if item.entry else ""
        said = [f"{_differs(each)}{values(each)}" for each in _all(item)]
        yield f"{item.compile_id}: {listed(said, _MOST_DIFFERENCES)}{entry}"
    more = len(items) - _MOST_TOLD
    if more > 0:
        yield f"… and {more} more"


def instances_fixes(case: FixCase, limit: int) -> Iterator[str]:
    """The limit that they need; how they share a program, where they can."""
    found = _instances(case)
    # What else it was compiled for, and the first of all.
    is_at_limit = any(item.hit_limit for item in case.items)
    needed = _count(found) if is_at_limit else _differing(found)
    needed += sum(item.other_instance is None for item in case.history)
    if is_at_limit or needed > limit:
        yield (
            f"Raise the limit to {needed}, one compiled version per instance: {limit_of(needed)}."
        )
        if any(item.alone for item in found):
            yield (
                "Compile each with isolate_recompiles=True (torch 2.13 and later), so each has its "
                "own limit."
            )
    else:
        yield (
            f"No change is needed: {needed} compiled versions are within the limit, and each is "
            f"compiled once. If more than {limit} instances differ, set the limit to their number: "
            f"{limit_of('N')}."
        )
    # How what differs becomes data of one program, where nothing else differs.
    kinds = {each.kind for item in case.items for each in _all(item) if _is_of_instance(each)}
    if len(kinds) == 1 and kinds <= _AS_DATA and is_data(case):
        data = (text for text in fixes(case) if text.startswith("Make ") or ENVIRONMENT in text)
        yield from itertools.islice(data, 2)
    yield _regional(case)


def _regional(case: FixCase) -> str:
    """Models of other depths have the same layers."""
    depth = next((item for item in case.items if item.name.endswith("._modules")), None)
    owner = case.name.removesuffix("._modules")
    if depth is None or depth.kind is not _C.LENGTH or "." not in owner:
        return ""
    # What a module of torch's own compiles by itself, Dynamo skips up to 2.13.
    owner = re.sub(r"^self\b", "model", owner)
    how = f"for layer in {owner}: layer.compile()"
    if depth.holds.startswith(_OF_TORCH):
        how = f"for i, layer in enumerate({owner}): {owner}[i] = torch.compile(layer)"
    return (
        f"Compile the repeated layer instead of the model (regional compilation): `{how}`. "
        "Identical layers then share their compiled code."
    )


def _instances(case: FixCase) -> list[OtherInstance]:
    return [item.other_instance for item in case.items if item.other_instance]


def _count(found: Sequence[OtherInstance]) -> int:
    """How many share the code, whether or not they differ."""
    return max([_differing(found), *(item.alive for item in found if item.alive)])


def _differing(found: Sequence[OtherInstance]) -> int:
    """How many of them were compiled for, or refused."""
    return len({number for item in found for number in item.numbers})


def _classes(found: Sequence[OtherInstance]) -> str:
    return listed(list(dict.fromkeys(each for item in found for each in item.classes)), 3)


def _all(item: Recompile) -> tuple[Recompile, ...]:
    return (item, *also_changed(item))


def _is_of_instance(item: Recompile) -> bool:
    name = item.other_instance.name if item.other_instance else ""
    return item.name == name or item.name.startswith((f"{name}.", f"{name}["))


def _differs(item: Recompile) -> str:
    """``the int attribute self.n differs``: of no object it changes."""
    is_whole = item.other_instance is not None and item.name == item.other_instance.name
    if item.kind is _C.TYPE and is_whole:
        return "their classes differ"
    return _CHANGES.sub(r" differ\1\2", changed(item))
