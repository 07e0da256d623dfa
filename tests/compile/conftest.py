"""What everything that is compiled in these tests has in common."""

from __future__ import annotations

import os

# With empty caches Inductor asks the C++ compiler, in every process, whether it can do what the CPU
# can: two programs that take longer to compile than most kernels here (7 of 18 s of a process on
# two cores). The answer is yes wherever these tests can run. What a process then generates and
# compiles is the same.
os.environ.setdefault("TORCHINDUCTOR_VEC_ISA_OK", "1")
