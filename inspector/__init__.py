"""Shows what ``torch.compile`` did to a model, and what to do about it.

As a library::

    import inspector

    print(inspector.explain(model, inputs))

    with inspector.record("recording") as recording:
        train_step()
    print(recording.report())
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.version import __version__

if TYPE_CHECKING:
    from inspector.library.explaining import explain
    from inspector.library.recording import Recording, ShownReport, record

__all__ = ["Recording", "ShownReport", "__version__", "explain", "record"]

# Imported when they are asked for: every recorded process imports this package, and `import
# inspector` must cost nothing, and never torch.
_PLACES = {
    "Recording": "inspector.library.recording",
    "ShownReport": "inspector.library.recording",
    "explain": "inspector.library.explaining",
    "load_ipython_extension": "inspector.library.notebook",
    "record": "inspector.library.recording",
}


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
