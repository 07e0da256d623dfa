"""One kernel timed alone, beside its launches in the calls of the model."""
