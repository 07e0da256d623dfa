"""What the machine can do, measured in a process of its own."""
