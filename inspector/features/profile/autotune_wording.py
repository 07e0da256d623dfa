"""How a report says what autotuning tried, the same in every format."""

import collections
import re
from collections.abc import Iterator, Sequence

from inspector.features.graph.wording import TIMES
from inspector.features.profile.autotuned import NOISE, Autotuning, Tuned
from inspector.records.autotuning import TriedCandidate
from inspector.report.file_names import PlacedRow, line_texts, short_names
from inspector.report.wording import count, duration
from inspector.run.kernel import NodeLine

_WORTH_NS = 1_000_000_000
_LEAST_SHARE = 0.01
_BLOCKS = re.compile(r"(?:[XYZ]BLOCK|R\d?_?\d?_?BLOCK|BLOCK\w*|GROUP_M|SPLIT_K|num_\w+)$")
_PARAMETER = re.compile(r"(\w+)=([^,]+)")
_LONGEST = 72
_FEW = 2  # candidates: the winner and the next are named
_LIBRARY = "extern"
_PLACEHOLDER = "triton_"  # how Inductor calls a kernel that it only times
_HOW = {
    "cached": "from the cache, not timed again",
    "only": "only one candidate",
    "fixed": "chosen without timing",
}


def autotune_summary(found: Autotuning, wall_ns: float) -> Iterator[str]:
    """What autotuning cost, what was tried, and what a call has of it."""
    measured = [item for item in found.tuned if item.first.how == "measured"]
    if measured:
        tried = count(sum(item.total for item in measured), "candidate")
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
    known = [item for item in found.tuned if item.first.how == "cached"]
    cached = found.cached + sum(item.places for item in known)
    if cached:
        yield f"{count(cached, 'kernel')} from the autotune cache, not timed again"
    if found.outside_ns:
        yield (
            f"{duration(found.outside_ns)} outside compiled graphs, where Triton tunes the "
            "program's own kernels"
        )
    yield from _worth(found, wall_ns)


def _worth(found: Autotuning, wall_ns: float) -> Iterator[str]:
    saved = found.saved_ns
    if saved is None or not found.spent_ns:
        return
    against = f" of {duration(wall_ns)}" if wall_ns else ""
    if saved <= _LEAST_SHARE * wall_ns or saved <= 0:
        yield f"no measurable gain over the defaults (about {duration(saved)}{against})"
        return
    calls = max(1, round(found.spent_ns / saved))
    yield (
        f"saves about {duration(saved)}{against} per call over the defaults; pays off after "
        f"{count(calls, 'call')}"
    )


def autotune_advice(found: Autotuning) -> Iterator[str]:
    """Suggested changes; empty if none is worthwhile."""
    measured = [item for item in found.tuned if item.first.how == "measured"]
    yield from _lost(measured)
    within = [item for item in measured if not item.first.is_outside]
    if found.spent_ns >= _WORTH_NS and within:
        remote = any(item.first.kind == "triton" for item in within)
        between = (
            ", or share configurations with TORCHINDUCTOR_AUTOTUNE_REMOTE_CACHE=1" if remote else ""
        )
        yield (
            f"each cold start spends {duration(found.spent_ns)} on autotuning: keep the folder "
            f"TORCHINDUCTOR_CACHE_DIR between starts{between}"
        )
    if found.outside_ns >= _WORTH_NS:
        yield (
            "Triton tunes the program's own kernels in each process: use "
            "triton.autotune(cache_results=True) or TRITON_CACHE_AUTOTUNING=1"
        )


def _lost(measured: Sequence[Tuned]) -> Iterator[str]:
    """Templates that never won: what they cost can be spared."""
    groups: dict[bool, list[Tuned]] = {}
    for item in measured:
        if item.first.kind == "template":
            groups.setdefault("conv" in item.first.name, []).append(item)
    for is_convolution, items in groups.items():
        own = [c for item in items for c in item.first.candidates if c.kind != _LIBRARY]
        if not own or any(item.winner is None or item.winner.kind != _LIBRARY for item in items):
            continue
        setting = "max_autotune_conv_backends" if is_convolution else "max_autotune_gemm_backends"
        spent = duration(sum(item.spent_ns for item in items))
        templates = "a template" if len(own) == 1 else f"all {len(own)} templates"
        yield (
            f"{templates} lost to a library at {count(len(items), 'place')} and cost {spent}: set "
            f'torch._inductor.config.{setting} = "ATEN"'
        )


def tuned_rows(found: Autotuning) -> Iterator[PlacedRow]:
    """What was tried: its name with sizes, what trying cost, what won, and the user's lines."""
    names = short_names(line.file for item in found.tuned for line in _lines(item))
    for item in found.tuned:
        won = " · ".join((_winner(item), *_details(item)))
        yield tuned_name(item), duration(item.spent_ns), won, line_texts(_lines(item), names)


def tuned_name(tuned: Tuned) -> str:
    """What was tuned, with its sizes."""
    first = tuned.first
    times = f"{tuned.places}{TIMES} " if tuned.places > 1 else ""
    if first.name == _PLACEHOLDER:
        return "a kernel timed for a fusion decision"
    shapes = ", ".join(TIMES.join(map(str, item.shape)) or "scalar" for item in first.inputs)
    dtypes = ", ".join(dict.fromkeys(item.dtype for item in first.inputs if item.dtype))
    return " ".join(filter(None, (f"{times}{first.name}", shapes, dtypes)))


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
    parts = _PARAMETER.findall(item.text)
    chosen = [f"{name}={value.strip()}" for name, value in parts if _BLOCKS.match(name)]
    short = ", ".join(chosen) if chosen else item.text
    text = short if len(short) <= _LONGEST else f"{short[: _LONGEST - 1]}…"
    return f"{item.name} ({text})" if item.name and text else item.name or text or "unnamed"


def _details(tuned: Tuned) -> Iterator[str]:
    if tuned.first.how != "measured":
        yield _HOW.get(tuned.first.how, tuned.first.how)
    yield from _clearly(tuned)
    usual, gain = tuned.usual, tuned.gain
    if usual is not None and usual is tuned.winner and tuned.total > 1:
        yield "same as the default"
    elif usual is not None and gain is not None and usual is not tuned.next:
        yield f"{_faster_than(gain)} {shown(usual)}, the default"
    if tuned.total > _FEW:
        yield count(tuned.total, "candidate")
    if tuned.failed:
        reasons = collections.Counter(item.failed for item in tuned.failed)
        yield f"{len(tuned.failed):,} failed: {reasons.most_common(1)[0][0]}"


def _clearly(tuned: Tuned) -> Iterator[str]:
    margin, other = tuned.margin, tuned.next
    if margin is None or other is None:
        return
    what = shown(other) + (", the default" if other is tuned.usual else "")
    if margin < 0:
        yield f"chosen with fused operators included; {what} is {-margin:.1%} faster on its own"
    elif margin < NOISE:
        yield f"{margin:.1%} faster than {what}: within noise ({NOISE:.0%})"
    else:
        yield f"{_faster_than(margin)} {what}"


def _faster_than(share: float) -> str:
    if share < 0:
        return f"{-share:.1%} slower than"
    return f"{share:.1%} faster than" if share < 1 else f"{1 + share:.1f}{TIMES} faster than"


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
        mark = " · default" if item is tuned.usual and tuned.first.kind == "triton" else ""
        yield duration(item.time_ns or 0), relation, _whole(item) + mark
    for item in tuned.failed:
        yield "failed", "", f"{_whole(item)}: {item.failed}"
    untimed = [c for c in tuned.first.candidates if c.time_ns is None and not c.failed]
    for item in untimed:
        yield "-", "taken" if item is winner else "", _whole(item)


def _whole(item: TriedCandidate) -> str:
    name = f"{item.name}: {item.text}" if item.name and item.text else item.name or item.text
    registers = f" · {item.registers:,} registers" if item.registers else ""
    spilled = f", {item.spills:,} spilled" if item.spills else ""
    return f"{name or 'unnamed'}{registers}{spilled}"
