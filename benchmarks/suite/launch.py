"""One command in a process of its own; writes its CPU time (all threads), wall time and peak memory as JSON.

python -S launch.py RESULT COMMAND...

This small process is the parent: Linux counts the memory of the parent as the child's peak if the parent's is larger.
"""

import json
import os
import sys
import time

result, *command = sys.argv[1:]
begun = time.perf_counter()
pid = os.posix_spawnp(command[0], command, os.environ)
_, status, used = os.wait4(pid, 0)
cost = {
    "cpu": used.ru_utime + used.ru_stime,
    "wall": time.perf_counter() - begun,
    "peak": used.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
}
with open(result, "w") as file:  # noqa: PTH123 - pathlib needs more memory
    json.dump(cost, file)
sys.exit(os.waitstatus_to_exitcode(status) and 1)
