"""What every JSON report says of the recording that it was made from."""

from __future__ import annotations

from inspector.model.run import Meta


def recording_fields(meta: Meta) -> dict[str, object]:
    """Name, target, settings, begin, and what is missing or went wrong."""
    return {
        "name": meta.name,
        "target": meta.target,
        "settings": {name: meta.settings[name] for name in sorted(meta.settings)},
        "started": meta.started or None,
        "partial": meta.partial or None,
        "error": meta.error or None,
    }
