"""What torch said: one frozen dataclass per trace event that is used, grouped by stage."""
