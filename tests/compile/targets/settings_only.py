WIDTH = 8
NAME = "nothing to compile"
