"""More programs for the advice of inspector/advice/python_values.py."""

from __future__ import annotations

from tests.compile.advised import BY_ID

_DISTINCT = BY_ID["values-as-keys"].before


_SEEN = _DISTINCT.replace(
    "    kinds = len(set(labels.tolist()))\n",
    "    seen = set()\n    for label in labels:\n        seen.add(int(label))\n"
    "    kinds = len(seen)\n",
)
_COUNTED = _DISTINCT.replace(
    "    kinds = len(set(labels.tolist()))\n",
    "    counts = {}\n    for label in labels:\n        key = label.item()\n"
    "        counts[key] = counts.get(key, 0) + 1\n    kinds = len(counts)\n",
)
VARIANTS = {
    "values-as-keys": (_SEEN, _COUNTED),
}
PAIRS = {
    "values-as-keys": (
        (
            _DISTINCT,
            _DISTINCT.replace(
                "    kinds = len(set(labels.tolist()))\n",
                "    counts = torch.zeros(4).index_add(0, labels, torch.ones(len(labels)))\n"
                "    kinds = (counts > 0).sum()\n",
            ),
        ),
    ),
}
