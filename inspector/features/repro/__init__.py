"""The smallest program that shows a fault of the compiler."""
