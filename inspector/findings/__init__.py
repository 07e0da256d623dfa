"""What an analysis says: rules, findings at places in the source, and the report of all of them."""
