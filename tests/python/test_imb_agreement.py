# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The comparison with IMB: when it agrees, when it must not, and what it launches."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from weft_lab.checks import imb_agreement as check
from weft_lab.errors import MissingError
from weft_lab.models.launches import Estimate
from weft_lab.mpi.installations import Installation
from weft_lab.mpi.launching import Launch

FAKE = """#!{python}
import sys
words = " ".join(sys.argv)
print(words, file=open({log!r}, "a"))
if "-n 2" not in words: sys.exit("not two ranks")
if "broken" in words: sys.exit("no such fabric")
sizes = open(sys.argv[sys.argv.index("-msglen") + 1]).read().split()
print("# Benchmarking PingPong\\n# #processes = 2\\n #bytes #repetitions t[usec] Mbytes/sec")
for size in sizes: print(size, 1000, 0.5 + int(size) / 1e4, 1.0)
print("# All processes entering MPI_Finalize")
"""


def launches(factor: float, seed: int) -> list[check.Times]:
    generator = np.random.default_rng(seed)
    return [
        {
            size: factor * (1e-6 + size / 1e10) * float(np.exp(0.02 * generator.standard_normal()))
            for size in check.SIZES
        }
        for _ in range(10)
    ]


def test_equal_programs_agree_and_one_that_is_slower_does_not() -> None:
    theirs = launches(1.0, 1)

    assert all(each.is_close for each in check.agreements(theirs, theirs))
    slower = check.agreements(launches(1.1, 2), theirs)
    assert not any(each.is_close for each in slower)
    assert "does not agree" in slower[0].text()
    assert slower[0].ratio.value == pytest.approx(1.1, rel=0.03)


def test_large_messages_must_be_within_5_percent_whatever_their_interval_says() -> None:
    wide = Estimate(1.07, 0.9, 1.3)

    assert check.Agreement(1024, wide).is_close
    assert not check.Agreement(1 << 16, wide).is_close
    assert not check.Agreement(1, Estimate(1.0, None, None)).is_close


def test_theirs_is_launched_as_ours_is_and_its_words_are_told(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    launcher, log, sizes = tmp_path / "bin" / "mpirun", tmp_path / "log", tmp_path / "sizes"
    launcher.write_text(FAKE.format(python=sys.executable, log=str(log)), encoding="utf-8")
    launcher.chmod(0o755)
    imb = tmp_path / "bin" / check.PROGRAM
    imb.touch()
    sizes.write_text("1\n1024\n", encoding="utf-8")
    one = Installation("openmpi", "4.1.4", launcher, launcher)
    what = Launch(one, tmp_path / "weft_mpi", ("pingpong",), 2)

    found = check.measure_theirs(what, imb, sizes)

    assert check.imb_of(one) == imb
    assert found == {1: pytest.approx(0.5001e-6), 1024: pytest.approx(0.6024e-6)}
    command = log.read_text()
    assert "-n 2 --bind-to core" in command
    assert "weft_mpi" not in command
    with pytest.raises(MissingError, match="IMB-MPI1 did not end well") as told:
        check.measure_theirs(what, tmp_path / "broken", sizes)
    assert "no such fabric" in told.value.why
