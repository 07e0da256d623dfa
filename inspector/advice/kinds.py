"""Torch's kinds of graph breaks about which there is more than one advice."""

from __future__ import annotations

from inspector.advice.advice import Kind

BACKEND = Kind("GB0219", "Backend compiler exception")
BRANCH = Kind("GB0170", "Data-dependent branching")
DYNAMIC_SHAPE = Kind("GB0036", "Dynamic shape operator")
EXCEPTION = Kind("GB0088", "Observed exception")
