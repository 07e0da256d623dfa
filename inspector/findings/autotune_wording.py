"""How a report says what autotuning tried, the same in every format."""

from __future__ import annotations

import collections
import dataclasses
import re
from collections.abc import Iterator, Sequence

from inspector.findings.file_names import line_texts, short_names
from inspector.findings.graph_wording import TIMES
from inspector.findings.wording import count, duration
from inspector.model.kernel import NodeLine
from inspector.profiles.autotuned import NOISE, Autotuning, Tuned
from inspector.records.autotuning import TriedCandidate, TriedTensor

_MANY = 0.2  # of what all autotuning cost
_WORTH_NS = 1_000_000_000
_LEAST_SHARE = 0.01
_OTHER = 1.5  # the benchmark's time against the one in place: then the two are not comparable
_SLOW_NS = 500_000_000
_BLOCKS = re.compile(r"(?:[XYZ]BLOCK|R\d?_?\d?_?BLOCK|BLOCK\w*|GROUP_M|SPLIT_K|num_\w+)$")
_PARAMETER = re.compile(r"(\w+)=([^,]+)")
_LONGEST = 72
_LIBRARY = "extern"
_PLACEHOLDER = "triton_"  # how Inductor calls a kernel that it only times
_HOW = {
    "cached": "from the cache: not tried again",
    "only": "one candidate: nothing to try",
    "fixed": "taken without timing anything",
}
_STEPS = {"descent": "coordinate descent", "combo": "combined kernels"}


@dataclasses.dataclass(frozen=True, slots=True)
class TunedLine:
    """One row.

    Attributes:
        cost: What trying cost.
        name: What was tuned, with its sizes.
        winner: What won, and its time.
        details: How clearly it won, over what, and out of how many.
        places: The user's lines, ``model.py:31`` and the text of each.
        matters: Whether it stands in the short report.
        tuned: What it is about.
    """

    cost: str
    name: str
    winner: str
    details: tuple[str, ...]
    places: tuple[tuple[str, str], ...]
    matters: bool
    tuned: Tuned


def autotune_summary(found: Autotuning, wall_ns: float) -> Iterator[str]:
    """What autotuning cost, what was tried, and what a call has of it.

    Args:
        found: What was tuned.
        wall_ns: The time of a call, or 0 where it is not known.
    """
    measured = [item for item in found.tuned if item.first.how == "measured"]
    if measured:
        tried = count(found.candidates, "candidate")
        places = count(len(measured), "place")
        if found.spent_ns:
            whole = (
                f" of {duration(found.compile_time_ns)} compile time"
                if found.compile_time_ns
                else ""
            )
            yield f"{duration(found.spent_ns)}{whole}: {tried} at {places}"
        else:
            yield f"{tried} at {places}"
    rest = list(_untried(found))
    if rest:
        yield "; ".join(rest)
    if found.outside_ns:
        yield (
            f"{duration(found.outside_ns)} outside of compiled graphs, where Triton tunes the "
            "program's own kernels"
        )
    yield from _worth(found, wall_ns)


def _untried(found: Autotuning) -> Iterator[str]:
    if found.cached:
        yield f"{count(found.cached, 'kernel')} from the autotune cache, not tried again"
    if found.alone:
        yield f"{count(found.alone, 'Triton kernel')} with one configuration: nothing to try"
    kept = sum(item.places for item in found.tuned if item.first.how == "cached")
    if kept:
        yield f"{count(kept, 'operation')} with times from the cache, not tried again"
    single = sum(item.places for item in found.tuned if item.first.how in {"only", "fixed"})
    if single:
        yield f"{count(single, 'operation')} with nothing to choose from"


def _worth(found: Autotuning, wall_ns: float) -> Iterator[str]:
    """What a call has of it, by the benchmarks alone."""
    saved = found.saved_ns
    if found.is_unlike:
        yield (
            "what a call has of it cannot be said: the benchmarks and the times in place are too "
            "far apart"
        )
    if saved is None or not found.spent_ns:
        return
    if found.unlike:
        are = "are" if found.unlike > 1 else "is"
        yield (
            f"{count(found.unlike, 'place')} {are} not in the next figure: their benchmarks and "
            "times in place are too far apart"
        )
    against = f" of {duration(round(wall_ns))}" if wall_ns else ""
    if saved <= _LEAST_SHARE * wall_ns or saved <= 0:
        yield (
            "by these benchmarks a call is not noticeably faster than with what is taken where "
            f"nothing is tried (an estimated {duration(round(saved))}{against})"
        )
        return
    calls = max(1, round(found.spent_ns / saved))
    yield (
        f"by these benchmarks a call is faster by an estimated {duration(round(saved))}{against}, "
        f"which pays off after {count(calls, 'call')}"
    )


def autotune_advice(found: Autotuning) -> Iterator[str]:
    """What to change, where something is worth it."""
    measured = [item for item in found.tuned if item.first.how == "measured"]
    yield from _lost(measured)
    yield from _failing(measured)
    within = [item for item in measured if not item.first.is_outside]
    if found.spent_ns >= _WORTH_NS and within:
        remote = any(item.first.kind == "triton" for item in within)
        between = (
            "; TORCHINDUCTOR_AUTOTUNE_REMOTE_CACHE=1 shares kernels' configurations between "
            "machines" if remote else ""
        )  # fmt: skip
        yield (
            f"every start with empty caches pays {duration(found.spent_ns)} again: keep the folder "
            f"that TORCHINDUCTOR_CACHE_DIR names between starts{between}"
        )
    if found.outside_ns >= _WORTH_NS:
        yield (
            "Triton tunes the program's own kernels in every process: "
            "triton.autotune(cache_results=True), or TRITON_CACHE_AUTOTUNING=1, keeps what won"
        )


def _lost(measured: Sequence[Tuned]) -> Iterator[str]:
    """Templates that never won: what they cost can be spared."""
    groups: dict[bool, list[Tuned]] = {}
    for item in measured:
        if item.first.kind == "template":
            groups.setdefault("conv" in item.first.name, []).append(item)
    for is_convolution, items in groups.items():
        own = [c for item in items for c in item.candidates if c.kind != _LIBRARY]
        if not own or any(item.winner is None or item.winner.kind != _LIBRARY for item in items):
            continue
        leads = [lead for item in items if (lead := _lead(item)) is not None]
        by = f" by at least {min(leads):.0%}" if leads and min(leads) > 0 else ""
        setting = "max_autotune_conv_backends" if is_convolution else "max_autotune_gemm_backends"
        spent = sum(item.spent_ns for item in items)
        what = count(len(own), "template lost", "templates lost")
        each = "the one" if len(own) == 1 else "all"
        yield (
            f"{each} {what} to a library{by}, at {count(len(items), 'place')}, and cost "
            f'{duration(spent)}: torch._inductor.config.{setting} = "ATEN" '
            f"(TORCHINDUCTOR_{setting.upper()}=ATEN) tries none of them"
        ).replace("the one 1 ", "the one ")


def _lead(tuned: Tuned) -> float | None:
    """How much longer the best template takes than the library that won."""
    winner = tuned.winner
    best = next((item for item in tuned.ranked if item.kind != _LIBRARY), None)
    if winner is None or best is None or not winner.time_ns or not best.time_ns:
        return None
    return best.time_ns / winner.time_ns - 1


def _failing(measured: Sequence[Tuned]) -> Iterator[str]:
    failed = sum(item.failures for item in measured)
    total = sum(item.total for item in measured)
    if not failed or failed * 2 < total:
        return
    reasons = collections.Counter(c.failed for item in measured for c in item.failed)
    why = f", most of them because {reasons.most_common(1)[0][0]}" if reasons else ""
    yield f"{failed:,} of {total:,} candidates failed{why}"


def tuned_lines(found: Autotuning) -> list[TunedLine]:
    """What was tried, what cost the most first."""
    whole = found.spent_ns + found.outside_ns
    names = short_names(line.file for item in found.tuned for line in _lines(item))
    return [
        TunedLine(
            cost=duration(item.spent_ns),
            name=_name(item),
            winner=_winner(item),
            details=tuple(_details(item)),
            places=line_texts(_lines(item), names),
            matters=_matters(item, whole),
            tuned=item,
        )
        for item in found.tuned
    ]


def _matters(tuned: Tuned, whole_ns: int) -> bool:
    if tuned.first.how == "failed":
        return True
    if tuned.first.how != "measured":
        return False
    margin = tuned.margin
    if tuned.spent_ns >= _MANY * whole_ns or tuned.first.name == _PLACEHOLDER:
        return tuned.spent_ns >= _MANY * whole_ns
    return (
        tuned.failures > 0
        or (tuned.usual is not None and not tuned.is_usual)
        or (margin is not None and margin < NOISE)
    )


def _name(tuned: Tuned) -> str:
    first = tuned.first
    times = f"{tuned.places}{TIMES} " if tuned.places > 1 else ""
    if first.name == _PLACEHOLDER:
        return "a kernel that was timed to decide what to fuse"
    return f"{times}{first.name} {_tensors(first.inputs)}".rstrip()


def _tensors(inputs: Sequence[TriedTensor]) -> str:
    shapes = ", ".join(TIMES.join(map(str, item.shape)) or "scalar" for item in inputs)
    dtypes = ", ".join(dict.fromkeys(item.dtype for item in inputs if item.dtype))
    return f"{shapes} {dtypes}".strip()


def _winner(tuned: Tuned) -> str:
    if tuned.first.how == "failed":
        return f"failed: {tuned.first.error or 'torch does not say why'}"
    winner = tuned.winner
    if winner is None:
        return "not known"
    time = f" {duration(winner.time_ns)}" if winner.time_ns else ""
    return f"{shown(winner)}{time}"


def shown(item: TriedCandidate) -> str:
    """A candidate in a few words: a template with its blocks, or a configuration."""
    text = _short(item.text)
    return f"{item.name} ({text})" if item.name and text else item.name or text or "unnamed"


def _short(text: str) -> str:
    """A template's parameters without those that all candidates share."""
    parts = _PARAMETER.findall(text)
    chosen = [f"{name}={value.strip()}" for name, value in parts if _BLOCKS.match(name)]
    short = ", ".join(chosen) if chosen else text
    return short if len(short) <= _LONGEST else f"{short[: _LONGEST - 1]}…"


def _details(tuned: Tuned) -> Iterator[str]:
    if tuned.first.how != "measured":
        yield _HOW.get(tuned.first.how, tuned.first.how)
    yield from _clearly(tuned)
    yield from _over_usual(tuned)
    if tuned.total > len(_FEW):
        yield count(tuned.total, "candidate")
    if tuned.failures:
        reasons = collections.Counter(item.failed for item in tuned.failed)
        why = f": {reasons.most_common(1)[0][0]}" if reasons else ""
        yield f"{tuned.failures:,} failed{why}"
    lost = _uncompiled(tuned)
    if lost:
        yield f"{lost:,} more could not be compiled"
    if tuned.first.scaled:
        yield f"{count(tuned.first.scaled, 'configuration')} added with smaller blocks"
    steps = [_STEPS[name] for name in dict.fromkeys(c.step for c in tuned.candidates) if name]
    if steps:
        yield f"with {' and '.join(steps)}"
    yield from _in_place(tuned)


def _in_place(tuned: Tuned) -> Iterator[str]:
    """What it takes in a call; a benchmark that says something else was about something else."""
    ratio = tuned.in_place_ratio
    if not tuned.in_place_ns or ratio is None:
        return
    runs = f"{tuned.launches}{TIMES} " if tuned.launches > 1 else ""
    text = f"in place {runs}{duration(round(tuned.in_place_ns))} of a call"
    if ratio >= _OTHER:
        text += f": {ratio:.1f} times what the benchmark says"
    elif ratio <= 1 / _OTHER:
        text += f": the benchmark says {1 / ratio:.1f} times as much"
    yield text


_FEW = ("the winner", "the next")


def _uncompiled(tuned: Tuned) -> int:
    """Configurations that were listed and never timed: what cannot be compiled is left out."""
    first = [item for item in tuned.candidates if not item.step]
    if tuned.first.listed is None or tuned.first.kind == "template" or not first:
        return 0
    return max(0, tuned.first.listed + tuned.first.scaled - len(first))


def _clearly(tuned: Tuned) -> Iterator[str]:
    margin, other = tuned.margin, tuned.next
    if margin is None or other is None:
        return
    what = shown(other) + (f", {_usual(tuned)}" if other is tuned.usual else "")
    if margin < 0:
        yield f"decided with what is fused into it: alone, {what} is {-margin:.1%} faster"
    elif margin < NOISE:
        yield f"{margin:.1%} faster than {what}: within noise ({NOISE:.0%})"
    else:
        yield f"{_faster_than(margin)} {what}"


def _usual(tuned: Tuned) -> str:
    """What the default is."""
    is_template = tuned.first.kind == "template"
    return "what is taken where nothing is tried" if is_template else "the one listed first"


def _over_usual(tuned: Tuned) -> Iterator[str]:
    usual, gain = tuned.usual, tuned.gain
    if tuned.is_usual and len(tuned.candidates) > 1:
        yield f"it is {_usual(tuned)}"
    elif usual is not None and gain is not None and usual is not tuned.next:
        yield f"{_faster_than(gain)} {shown(usual)}, {_usual(tuned)}"


def _faster_than(share: float) -> str:
    if share < 0:
        return f"{-share:.1%} slower than"
    return f"{share:.1%} faster than" if share < 1 else f"{1 + share:.1f} times as fast as"


def _lines(tuned: Tuned) -> tuple[NodeLine, ...]:
    """The user's lines; of a kernel outside of compiled graphs its own."""
    first = tuned.first
    own = (NodeLine(first.name, first.file, first.line),) if first.file else ()
    return tuned.lines or own


def candidate_rows(tuned: Tuned) -> Iterator[tuple[str, str, str]]:
    """All candidates: the time, by the winner's (or ``taken``), and what it is."""
    winner = tuned.winner
    best = winner.time_ns if winner is not None else None
    for item in tuned.ranked:
        relation = f"{item.time_ns / best:.2f}{TIMES}" if item.time_ns and best else ""
        relation = "taken" if item is winner else relation
        mark = " · listed first" if item is tuned.usual and tuned.first.kind == "triton" else ""
        yield duration(item.time_ns or 0), relation, _whole(item) + mark
    for item in tuned.failed:
        yield "failed", "", f"{_whole(item)}: {item.failed}"
    untimed = [c for c in tuned.candidates if c.time_ns is None and not c.failed]
    for item in untimed:
        yield "-", "taken" if item is winner else "", _whole(item)
    left = tuned.total - len(tuned.candidates)
    if left > 0:
        yield "", "", f"… {left:,} slower ones are not in the recording"


def _whole(item: TriedCandidate) -> str:
    facts = [
        f"{value:,} {word}"
        for word, value in (("registers", item.registers), ("spilled", item.spills))
        if value
    ]
    about = f" · {', '.join(facts)}" if facts else ""
    if item.spent_ns and item.spent_ns >= _SLOW_NS:
        about += f" · {duration(item.spent_ns)} to try it"
    name = f"{item.name}: {item.text}" if item.name and item.text else item.name or item.text
    return f"{name or 'unnamed'}{about}"
