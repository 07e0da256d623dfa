"""The only code that imports torch; it runs in the recorded process, in any user's environment.

It therefore uses the standard library, torch, and of this package `events`, `model` and `errors`.
"""
