# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Effects of the package on a process: threads, forks, Ctrl-C, modules that are loaded."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import weft
from weft_lab.storage.checkout import CHECKOUT

Program = Callable[[str], str]

THREADS = "import os\ndef num_threads():\n    return len(os.listdir('/proc/self/task'))\n"
FORKS = """
import multiprocessing, os, sys, warnings
import numpy as np
import weft

warnings.simplefilter("ignore")  # of Python, about forks of processes with threads

def is_sorted(seed):
    values = np.random.default_rng(seed).random(500_000)
    weft.sort(values)
    return bool(np.all(np.diff(values) >= 0))

print(is_sorted(0))
"""


def test_to_import_loads_nothing_and_starts_no_thread(program: Program) -> None:
    text = THREADS + (
        "import sys, weft\n"
        "print([name for name in ('numpy', 'polars', 'weft_lab', 'weft._weft', 'weft.lab') "
        "if name in sys.modules], num_threads())"
    )

    assert program(text) == "[] 1\n"


def test_workers_start_with_the_first_call_that_pays(program: Program) -> None:
    text = THREADS + (
        "import numpy as np\nbefore = num_threads()\nimport weft, weft.algorithms, weft.counters\n"
        "print(num_threads() - before, end=' ')\n"
        "weft.sort(np.random.default_rng(1).random(1_000_000))\n"
        "print(num_threads() - before)\n"
    )

    assert program(text) == "0 2\n"


def test_processes_of_multiprocessing_sort_after_a_fork(program: Program) -> None:
    text = FORKS + (
        "with multiprocessing.get_context('fork').Pool(2) as pool:\n"
        "    print(pool.map(is_sorted, range(4)))\n"
    )

    assert program(text) == "True\n[True, True, True, True]\n"


def test_a_fork_of_a_fork_sorts_and_ends(program: Program) -> None:
    text = FORKS + (
        "children = 0\n"
        "while children < 2 and os.fork() == 0:\n"
        "    children += 1\n"
        "    if not is_sorted(children):\n"
        "        sys.exit(1)\n"
        "if children < 2:\n"
        "    sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))\n"
    )

    assert program(text) == "True\n"


def test_a_fork_that_only_starts_threads_ends(program: Program) -> None:
    text = FORKS + (
        "import threading\n"
        "if os.fork() == 0:\n"
        "    threads = [threading.Thread(target=len, args=('',)) for _ in range(8)]\n"
        "    for thread in threads:\n"
        "        thread.start()\n"
        "    for thread in threads:\n"
        "        thread.join()\n"
        "    sys.exit(0)\n"
        "sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))\n"
    )

    assert program(text) == "True\n"


def test_ctrl_c_is_raised_once_the_call_is_done(program: Program) -> None:
    text = (
        "import signal\nimport numpy as np\nimport weft\n"
        "values = np.random.default_rng(1).random(3_000_000)\nweft.sort(values[:1])\n"
        "signal.signal(signal.SIGALRM, signal.default_int_handler)\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.005)\n"
        "try:\n    weft.sort(values)\n    print('not interrupted')\n"
        "except KeyboardInterrupt:\n    print('interrupted', bool(np.all(np.diff(values) >= 0)))\n"
    )

    assert program(text) == "interrupted True\n"


def test_a_program_may_end_while_a_daemon_thread_is_in_a_call(program: Program) -> None:
    text = (
        "import threading\nimport numpy as np\nimport weft\n"
        "values = np.random.default_rng(1).random(100_000)\n"
        "has_begun = threading.Event()\n"
        "def sort():\n    while True:\n        weft.sort(values.copy())\n        has_begun.set()\n"
        "for _ in range(4):\n    threading.Thread(target=sort, daemon=True).start()\n"
        "has_begun.wait()\nprint('ends')\n"
    )

    assert program(text) == "ends\n"


def test_without_the_compiled_module_the_message_says_how_to_build_it() -> None:
    text = (
        f"import sys; sys.path.insert(0, {str(CHECKOUT / 'python')!r})\n"
        "import weft\ntry:\n    weft.sort\nexcept ImportError as error:\n    print(error)\n"
    )

    done = subprocess.run(
        [sys.executable, "-I", "-c", text], capture_output=True, text=True, check=True
    )

    assert done.stdout.startswith("the compiled module weft._weft is not here. Install weft")


def test_other_names_are_not_there() -> None:
    with pytest.raises(AttributeError, match="module 'weft' has no attribute 'nothing'"):
        _ = weft.nothing


@pytest.mark.usefixtures("compiled")
def test_every_name_is_there() -> None:
    names = set(weft.__all__) - {"halo"}  # which needs an MPI

    assert {name for name in names if hasattr(weft, name)} == names
    assert names <= set(dir(weft))


def test_a_program_may_end_while_a_daemon_thread_exchanges_halos(
    program: Program, environment: dict[str, str]
) -> None:
    package = Path(environment["PYTHONPATH"].split(os.pathsep)[0])
    if not list(package.glob("weft/_halo.*.so")):
        pytest.skip(f"{package} has no weft._halo, which needs an MPI")
    pytest.importorskip("mpi4py")
    text = (
        "import threading\nimport mpi4py\nmpi4py.rc.finalize = False\nfrom mpi4py import MPI\n"
        "from weft import halo\n"
        "grid = halo.cart(MPI.COMM_SELF, [1], [True])\n"
        "field = halo.make_field(grid, [halo.axis.inner(100_000).halo(40_000)])\n"
        "exchange = halo.exchange(grid, field.box)\n"
        "has_begun = threading.Event()\n"
        "def exchange_on():\n    while True:\n        exchange(field)\n        has_begun.set()\n"
        "threading.Thread(target=exchange_on, daemon=True).start()\n"
        "has_begun.wait()\nprint('ends')\n"
    )

    for _ in range(5):
        assert program(text) == "ends\n"
