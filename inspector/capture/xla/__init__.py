"""The backend ``openxla``: the device that it compiles for, and what it hands to XLA."""
