"""Where a process was, as `faulthandler` wrote it."""

import faulthandler
import tempfile
import threading

from inspector.shared.stack_dump import place_in_dump

DUMP = """\
Fatal Python error: Segmentation fault

Thread 0x00007f1 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 324 in wait
  File "/home/u/other.py", line 3 in watch

Current thread 0x00007f2 (most recent call first):
  File "/v/lib/python3.11/site-packages/torch/_ops.py", line 1 in __call__
  File "/home/u/a model.py", line 31 in forward
  File "/home/u/model.py", line 9 in <module>

Extension modules: numpy (total: 1)
"""


def test_it_is_the_innermost_line_of_the_program() -> None:
    assert place_in_dump(DUMP) == "a model.py:31 in forward"


def test_what_was_cut_off_or_is_none_says_nothing() -> None:
    assert place_in_dump("") == ""
    assert place_in_dump(DUMP.partition("other.py")[0]) == ""
    assert place_in_dump(DUMP.partition("a model.py")[0]) == "other.py:3 in watch"


def test_what_python_writes_is_read() -> None:
    waits = threading.Event()
    other = threading.Thread(target=waits.wait)
    other.start()
    with tempfile.TemporaryFile("w+") as log:
        faulthandler.dump_traceback(log, all_threads=True)
        log.seek(0)
        found = place_in_dump(log.read())
    waits.set()
    other.join()

    assert found.startswith("test_stack_dump.py:")
    assert found.endswith(" in test_what_python_writes_is_read")
