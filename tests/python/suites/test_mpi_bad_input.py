# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is asked wrongly of the suite mpi, as it is typed: a named error, and nothing is lost."""

from __future__ import annotations

import os
import signal
import threading
import time
from importlib import resources
from pathlib import Path

import pytest
from mpi_programs import program_of
from weft_here import call_here as call
from weft_lab.errors import MissingError, UsageError
from weft_lab.measuring.mpi.capacity import Capacity, capacity_here
from weft_lab.measuring.mpi.installations import Installation, find_installations
from weft_lab.measuring.mpi.launching import Launch, Outcome, run
from weft_lab.measuring.mpi.nodes import Nodes, check_reachable, find_nodes

MPIRUN = r"""#!/bin/sh
case "$*" in
  *--version*) echo "mpirun (Open MPI) 4.1.4" ;;
  *nowhere*) echo "ssh: Could not resolve hostname nowhere" >&2; exit 255 ;;
  *silent*) ;;
  *large*thread_siblings*) echo "Welcome."; printf 'Cpus_allowed_list:\t0-63\n' ;;
  *thread_siblings*) printf 'Cpus_allowed_list:\t4-6\n' ;;
esac
"""


@pytest.fixture
def mpi(tmp_path: Path) -> Path:
    """The folder of an MPI that answers to its name, knows no host 'nowhere' and builds nothing."""
    (tmp_path / "bin").mkdir()
    for name, text in (("mpirun", MPIRUN), ("mpicxx", "#!/bin/sh\nexit 1\n")):
        path = tmp_path / "bin" / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
    return tmp_path


def refused(mpi: Path, *options: str) -> str:
    """What `weft report --suite mpi` says before it writes anything."""
    results = mpi / "results"
    done = call(
        *("report", "--suite", "mpi", "--results", str(results), *options),
        PATH="/nowhere",
        WEFT_MPI_DIR=str(mpi),
    )
    assert done.returncode not in (0, 1), done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert not results.exists()
    return " ".join(done.stderr.split())


def test_a_host_that_cannot_be_reached_is_named_with_what_to_try(mpi: Path) -> None:
    said = refused(mpi, "--hosts", "here,nowhere")

    assert "host 'nowhere' cannot be reached" in said
    assert "Could not resolve hostname" in said
    assert "ssh nowhere nproc" in said


def test_a_host_named_twice_is_no_two_hosts(mpi: Path) -> None:
    assert "host 'here' is named twice" in refused(mpi, "--hosts", "here,here")
    with pytest.raises(UsageError, match="host 'here' is named twice"):
        find_nodes(("here", "here"))


def test_unknown_problems_are_refused_with_the_known(mpi: Path) -> None:
    assert "known are ring, sum3d, pingpong" in refused(mpi, "--only", "rng")


def test_a_folder_without_programs_is_said_to_be_one(mpi: Path) -> None:
    said = refused(mpi, "--programs", str(mpi))

    assert "holds no weft_mpi for openmpi-4.1.4" in said
    assert "--programs build/dev/bin" in said


def test_a_folder_of_programs_that_is_not_there_is_refused(mpi: Path) -> None:
    assert f"no folder '{mpi / 'gone'}'" in refused(mpi, "--programs", str(mpi / "gone"))


def test_no_mpi_at_all_says_how_to_get_one(mpi: Path) -> None:
    said = refused(mpi / "elsewhere")

    assert "no MPI to measure" in said
    assert "libopenmpi-dev" in said


def test_unknown_transports_are_refused_before_anything_is_built(mpi: Path) -> None:
    assert "unknown transport 'tpc'" in refused(mpi, "--backend", "tpc")


def test_a_torn_file_of_imb_is_named_with_its_last_size(tmp_path: Path) -> None:
    text = resources.files("weft_lab").joinpath("data", "mpi", "imb_tcp.txt").read_text("utf-8")
    path = tmp_path / "torn.txt"
    path.write_text(text[: text.index("1048576")], encoding="utf-8")

    done = call("fit", str(path))

    assert done.returncode not in (0, 1)
    assert "its last size is 524288 bytes" in " ".join(done.stderr.split())


def test_a_cluster_wants_nodes_minutes_and_a_scheduler(tmp_path: Path) -> None:
    out = ("--output", str(tmp_path / "job"))

    assert "at least one node" in call("submit", "--slurm", "--nodes", "0", *out).stderr
    assert "no scheduler was named" in call("submit", *out).stderr
    assert "contradict" in call("submit", "--slurm", "--quick", "--full", *out).stderr
    assert not (tmp_path / "job").exists()
    limited = call("submit", "--slurm", "--full", "--minutes", "40", *out)
    assert "--full --budget 30m" in limited.stdout
    short = call("submit", "--slurm", "--minutes", "15", *out)
    assert "--suite mpi --budget 5m" in short.stdout
    assert "--budget" not in call("submit", "--slurm", "--quick", "--minutes", "12", *out).stdout
    none = call("submit", "--slurm", "--quick", "--minutes", "10", *out)
    assert none.returncode != 0
    assert "a job of 10 minutes" in " ".join(none.stderr.split())


def with_program() -> tuple[Installation, Path]:
    for one in find_installations():
        program = program_of(one) if one.family == "openmpi" else None
        if program is not None:
            return one, program
    pytest.skip("there is no Open MPI with a built weft_mpi: ./weft run --suite mpi --quick")


def test_a_rank_that_dies_ends_the_launch_and_what_came_before_is_kept() -> None:
    one, program = with_program()
    mark = f"{os.getpid()}.5"
    words = ("pingpong", "--sizes", "1", "--max-samples", "2000000000", "--min-time-s", mark)
    what = Launch(one, program, (*words, "--max-time-s", mark), 2, is_functional=True)
    found: list[Outcome] = []
    launched = threading.Thread(target=lambda: found.append(run(what, 30.0)))

    launched.start()
    killed = kill_a_rank(mark)
    launched.join(40.0)

    assert killed
    assert found
    assert "exit code" in found[0].failure
    assert found[0].program is not None


def kill_a_rank(mark: str) -> bool:
    """Ends a rank whose command line holds the mark, once they have told what they are."""
    end_s = time.monotonic() + 20.0
    while time.monotonic() < end_s:
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
                is_rank = mark.encode() in words and words[0].endswith(b"weft_mpi")
                if not is_rank or b"mpi_program" not in told_by_launcher(folder):
                    continue
                os.kill(int(folder.name), signal.SIGKILL)
            except OSError:
                continue
            return True
        time.sleep(0.05)
    return False


def told_by_launcher(rank: Path) -> bytes:
    """What the launcher of a rank, by its folder in /proc, has written so far."""
    parent = (rank / "stat").read_text().rpartition(")")[2].split()[1]
    return Path(f"/proc/{parent}/fd/1").read_bytes()


def test_a_program_of_another_mpi_is_a_world_of_one_and_says_so() -> None:
    one, program = with_program()
    other = next((each for each in find_installations() if each.family == "mpich"), None)
    if other is None:
        pytest.skip("there is no MPICH beside Open MPI")

    outcome = run(Launch(other, program, ("ring",), 2, is_functional=True), 60.0)

    assert "the launcher is not of the MPI that the program was built with" in outcome.failure
    assert one.id != other.id


def test_a_host_that_does_not_answer_is_named_by_the_library(mpi: Path) -> None:
    one = Installation("openmpi", "4.1.4", mpi / "bin" / "mpirun", mpi / "bin" / "mpicxx")

    three, many = Capacity(3, 3), Capacity(64, 64)
    assert check_reachable(Nodes(("here",)), one) == three
    assert check_reachable(Nodes(("large", "here")), one) == three, "the smallest one counts"
    assert check_reachable(Nodes(("large",)), one) == many, "not this machine's"
    assert check_reachable(Nodes(), one) == capacity_here()
    with pytest.raises(MissingError, match="host 'silent' cannot be reached"):
        check_reachable(Nodes(("silent",)), one)
    with pytest.raises(MissingError, match="host 'nowhere' cannot be reached"):
        check_reachable(Nodes(("here", "nowhere")), one)
