"""More programs for the advice than its pages show, by the id of the advice.

Each file in programs/ has those for the advice in the file of its name in inspector/advice.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

_MODULES = [
    import_module(f"tests.compile.programs.{path.stem}")
    for path in sorted((Path(__file__).parent / "programs").glob("*.py"))
]
VARIANTS: Mapping[str, tuple[str, ...]] = {
    id_: texts for module in _MODULES for id_, texts in getattr(module, "VARIANTS", {}).items()
}
"""Programs that break in the same way and are to be mended in the same way, among them what comes
of hints of torch that do not help."""
PAIRS: Mapping[str, tuple[tuple[str, str], ...]] = {
    id_: pairs for module in _MODULES for id_, pairs in getattr(module, "PAIRS", {}).items()
}
"""Programs before and after, for what one would not expect: code that writes in place, odd shapes,
NaN."""
