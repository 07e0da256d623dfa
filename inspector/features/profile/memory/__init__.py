"""The memory of a call: its peak, and what it is made of."""
