"""The backends that compile for XLA."""

from __future__ import annotations

XLA_BACKENDS = ("openxla", "openxla_eval")
"""Those of torch/_dynamo/backends/torchxla.py, 2.9 to 2.13.

They compile for XLA's device alone: tensors of the CPU they would run operator by operator.
"""

XLA_DEVICE = "xla"
"""What torch calls it; what it is says the environment variable ``PJRT_DEVICE``: CPU, TPU."""
