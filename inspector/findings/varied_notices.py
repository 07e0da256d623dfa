"""What has to be known of measurements over many inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.benches.varied import VariedSetting
from inspector.findings.value_names import value_named
from inspector.findings.wording import listed

_MOST_NAMED = 3


def varied_notices(found: Sequence[VariedSetting]) -> Iterator[str]:
    """What is known of the results of padded calls."""
    for item in found:
        measured = [each for each in item.inputs if each.row.latency]
        if not item.setting.pads or not measured:
            continue
        label = item.setting.label
        yield (
            f"{label}: of results the part that is not padding is compared with eager PyTorch's, "
            "as far as shapes tell which it is: sizes of inputs, and what these are padded to"
        )
        others = [each.label for each in measured if each.row.padding_changes]
        if others:
            yield (
                f"{label}: results are others with {listed(others, _MOST_NAMED)}: the model "
                "computes with the padding, too (a sum, a mean, attention without a mask), or is "
                "compiled wrongly, which --shapes static tells; give the model a mask, or do not "
                "pad"
            )
        uncut = dict.fromkeys(value_named(name) for each in measured for name in each.row.uncut)
        if uncut:
            yield f"{label}: not compared, by their shapes: {listed(list(uncut), _MOST_NAMED)}"
