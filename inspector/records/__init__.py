"""Our artifacts, one dataclass each: capture writes them into the trace, the reader reads them."""
