"""Small programs that recompile, each for one reason, with what torch says about it."""
