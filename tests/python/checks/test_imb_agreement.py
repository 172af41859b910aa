# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The comparison with IMB: when it agrees, when it must not, and what it launches."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from weft_lab.checks import NOT_CHECKED
from weft_lab.checks import imb_agreement as check
from weft_lab.errors import MissingError
from weft_lab.measuring.mpi.installations import Installation
from weft_lab.measuring.mpi.launching import Launch
from weft_lab.models.launches import Estimate

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

    assert check.exit_code(check.agreements(theirs, theirs)) == 0
    slower = check.agreements(launches(1.1, 2), theirs)
    assert {each.verdict for each in slower} == {"differs"}
    assert check.exit_code(slower) == 1
    assert "does not agree" in slower[0].judged()
    assert slower[0].ratio.value == pytest.approx(1.1, rel=0.03)


def test_equal_programs_are_seldom_found_to_differ_at_any_size() -> None:
    runs = [check.agreements(launches(1.0, 2 * k), launches(1.0, 2 * k + 1)) for k in range(40)]

    alarms = sum(check.exit_code(every) != 0 for every in runs)

    # 5 % of runs; with intervals of 95 % at each size it were a third of them.
    assert alarms <= 6


def test_a_launch_that_is_not_judged_cannot_fail_those_that_are() -> None:
    times = launches(1.0, 1)[0]
    calls = {"suite": 0}

    def broken() -> check.Times:
        calls["suite"] += 1
        raise MissingError(what="weft_mpi did not end well", why="a rank died", remedy="-")

    takes = {"ours": lambda: times, "theirs": lambda: times, "suite": broken}
    found = check.interleaved(takes, 10)

    assert check.exit_code(found.ours) == 0
    assert (found.suite, calls["suite"]) == ([], 1)
    assert found.lines()[-1].endswith("not judged: not measured: a rank died")
    assert len(check.interleaved({**takes, "suite": lambda: times}, 10).suite) == len(check.SIZES)
    with pytest.raises(MissingError, match="did not end well"):
        check.interleaved({**takes, "ours": broken}, 10)


def test_the_middle_of_rounds_lies_between_order_statistics() -> None:
    found = check.middle([float(value) for value in range(30, 0, -1)], level=0.95)

    # Of 30 values, the 10th and the 21st enclose the median with 95.7 % (binomial tables).
    assert (found.value, found.low, found.high) == (15.5, 10.0, 21.0)
    assert check.middle([1.0] * 5).low is None, "too few for any interval"
    wild = check.middle([1.0] * 20 + [9.0] * 10)
    assert wild.value == 1.0


def test_a_loop_that_lost_its_core_does_not_count() -> None:
    loops = [(1, 4e-6), (64, 5e-6), (1, 4e-6), (64, 5e-6), (1, 9e-6), (64, 1.0)]

    assert check.of_loops(loops) == {1: 4e-6, 64: 5e-6}


def test_large_messages_must_be_within_5_percent_whatever_their_interval_says() -> None:
    wide = Estimate(1.07, 0.9, 1.2)

    assert check.Agreement(1024, wide).verdict == "agrees"
    assert check.Agreement(1 << 16, wide).verdict == "differs"


def test_what_is_too_noisy_to_tell_is_neither_agreement_nor_difference() -> None:
    noisy = check.Agreement(1, Estimate(1.0, 0.5, 1.5))

    assert noisy.verdict == "too noisy"
    assert "too noisy to tell" in noisy.judged()
    assert check.Agreement(1, Estimate(1.0, None, None)).verdict == "too noisy"
    assert check.exit_code([noisy]) == NOT_CHECKED
    assert check.exit_code([]) == NOT_CHECKED
    assert check.exit_code([noisy, check.Agreement(1, Estimate(2.0, 1.9, 2.1))]) == 1


def test_without_imb_nothing_is_checked_and_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(check, "find_installations", list)

    assert check.main([]) == NOT_CHECKED
    assert "no MPI has IMB-MPI1" in capsys.readouterr().out


def test_theirs_is_launched_as_ours_is_and_its_words_are_told(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    launcher, log, sizes = tmp_path / "bin" / "mpirun", tmp_path / "log", tmp_path / "sizes"
    launcher.write_text(FAKE.format(python=sys.executable, log=str(log)), encoding="utf-8")
    launcher.chmod(0o755)
    imb = tmp_path / "bin" / check.PROGRAM
    imb.touch()
    sizes.write_text("1\n1024\n1\n1024\n", encoding="utf-8")
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
