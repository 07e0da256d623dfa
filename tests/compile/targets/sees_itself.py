import sys
from pathlib import Path

from sees_itself_helper import twice

assert __name__ != "__main__"
assert Path(sys.path[0]) == Path(__file__).parent


def model(x):
    return sys.argv if twice(x) is not None else None


example_inputs = (1,)
