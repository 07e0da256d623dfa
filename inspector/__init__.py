"""Shows what ``torch.compile`` did to a model, and what to do about it."""

__version__ = "0.1.0"
