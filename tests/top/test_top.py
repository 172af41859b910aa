# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What weft-top says of programs that work, hang, stop, and die."""

from __future__ import annotations

import copy
import csv
import io
import json
import signal
import subprocess
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from top_programs import SHORT_LOOK, TARGET, TOOL, Start, Top, run_tool, started_programs

SCHEMA = json.loads((Path(__file__).parent / "top_schema.json").read_text(encoding="utf-8"))
PARTS = ("task_s", "scheduling_s", "stealing_s", "searching_s", "parked_s")

Document = dict[str, Any]


def look(top: Top, *arguments: str) -> Document:
    """One look as JSON, valid by its schema."""
    done = top("--once", "--json", *arguments)
    assert done.returncode == 0, done.stderr
    document: Document = json.loads(done.stdout)
    jsonschema.validate(document, SCHEMA)
    return document


def flags(document: Document) -> list[str]:
    return [flag["name"] for flag in document["flags"]]


def unaccounted_share(document: Document) -> float:
    """How far the parts of the workers' time are from all of it."""
    parts_s = sum(worker[part] or 0 for worker in document["workers"] for part in PARTS)
    all_s = document["interval_s"] * len(document["workers"])
    return float(abs(parts_s - all_s) / all_s)


@pytest.fixture(scope="module")
def busy_look(tmp_path_factory: pytest.TempPathFactory) -> Document:
    """One look of a second at a busy program; a test that changes it copies it first."""
    if not (TOOL and TARGET):
        pytest.skip("WEFT_TOP_TOOL and WEFT_TOP_TARGET name no programs")
    with pytest.MonkeyPatch.context() as patch, started_programs() as start:
        patch.setenv("WEFT_STATS_DIR", str(tmp_path_factory.mktemp("stats")))
        patch.setenv("WEFT_WORKERS", "2")
        patch.delenv("WEFT_STATS", raising=False)
        return look(run_tool, "--pid", str(start("busy").pid))


def test_a_busy_program_is_shown_with_its_hottest_task(busy_look: Document) -> None:
    assert busy_look["status"] == "running"
    assert busy_look["program"] == Path(TARGET).name
    assert busy_look["total"]["tasks"] > 0
    assert busy_look["task_duration"]["p50_s"] <= busy_look["task_duration"]["p99_s"]
    assert "hot_fib" in busy_look["labels"][0]["name"]
    assert busy_look["missing"] == []


def test_parts_of_time_add_up(busy_look: Document) -> None:
    assert unaccounted_share(busy_look) < 0.001


def test_time_counted_twice_would_be_noticed(busy_look: Document) -> None:
    document = copy.deepcopy(busy_look)

    document["workers"][0]["parked_s"] += document["workers"][0]["task_s"]

    assert unaccounted_share(document) > 0.1


def test_a_wrong_document_would_be_noticed(busy_look: Document) -> None:
    document = copy.deepcopy(busy_look)

    document["total"]["tasks"] = "many"

    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, SCHEMA)


def test_a_deadlock_is_called_stalled(start: Start, top: Top) -> None:
    process = start("deadlock")
    time.sleep(1)  # what takes less is no standstill

    document = look(top, "--pid", str(process.pid))

    assert flags(document) == ["STALLED"]
    assert "2 tasks wait" in document["flags"][0]["reason"]
    assert document["suspended"] == 2


def test_a_program_without_work_is_not_stalled(start: Start, top: Top) -> None:
    start("idle")
    time.sleep(1)

    document = look(top)

    assert flags(document) == []
    assert {worker["state"] for worker in document["workers"]} == {"parked"}


def test_a_killed_program_shows_what_it_did(start: Start, top: Top) -> None:
    process = start("busy")
    process.kill()
    process.wait()

    document = look(top, "--pid", str(process.pid))

    assert document["status"] == "killed"
    assert document["tasks_since_start"] > 0
    assert document["rss_bytes"] is None
    assert "hot_fib" in document["labels"][0]["name"]
    assert "killed" in top("--pid", str(process.pid)).stdout.splitlines()[0]


def test_a_deadlock_that_was_killed_can_be_told(start: Start, top: Top) -> None:
    process = start("deadlock")
    process.kill()
    process.wait()

    assert flags(look(top)) == ["STALLED"]


def test_a_stopped_program_is_called_so(start: Start, top: Top) -> None:
    process = start("busy")
    process.send_signal(signal.SIGSTOP)

    assert flags(look(top)) == ["STOPPED"]


def watch_until_killed(
    process: subprocess.Popen[str], *arguments: str, interval: str = "20ms"
) -> str:
    """What the tool prints of a program that is killed after three looks."""
    with subprocess.Popen(
        [TOOL, "--json", "--interval", interval, *arguments], stdout=subprocess.PIPE, text=True
    ) as tool:
        assert tool.stdout is not None
        lines = [tool.stdout.readline() for _ in range(3)]
        process.kill()
        process.wait()
        return "".join(lines) + tool.stdout.read()


def test_looks_go_on_until_the_program_dies(start: Start) -> None:
    printed = watch_until_killed(start("busy"))

    states = [json.loads(line)["status"] for line in printed.splitlines()]
    assert states[:3] == ["running"] * 3
    assert states.index("killed") == len(states) - 1


def test_looks_are_at_least_an_interval_apart(start: Start) -> None:
    printed = watch_until_killed(start("busy"), interval="500ms")

    uptime_s = [json.loads(line)["uptime_s"] for line in printed.splitlines()[:3]]
    assert min(later - earlier for earlier, later in pairwise(uptime_s)) > 0.49


def test_csv_has_a_line_per_worker(start: Start, top: Top) -> None:
    start("busy")

    rows = list(csv.DictReader(io.StringIO(top(*SHORT_LOOK, "--csv").stdout)))

    assert [row["worker"] for row in rows] == ["0", "1"]
    assert all(row["status"] == "running" for row in rows)
    assert sum(int(row["tasks"]) for row in rows) > 0


def test_a_replay_prints_what_was_printed(start: Start, top: Top, tmp_path: Path) -> None:
    recording = str(tmp_path / "looks")

    printed = watch_until_killed(start("busy"), "--record", recording)

    assert top("--json", "--replay", recording).stdout == printed
    rows = top("--csv", "--replay", recording).stdout.splitlines()
    assert len(rows) == 1 + 2 * len(printed.splitlines())


def test_a_recording_that_was_cut_off_ends_with_its_last_whole_look(
    start: Start, top: Top, tmp_path: Path
) -> None:
    process = start("busy")
    process.kill()
    process.wait()
    recording = tmp_path / "looks"
    top("--json", "--record", str(recording))
    whole = recording.read_bytes()

    recording.write_bytes(whole + whole[8:-20])

    assert len(top("--json", "--replay", str(recording)).stdout.splitlines()) == 1


def test_all_programs_are_listed(start: Start, top: Top) -> None:
    pids = {start("busy").pid, start("idle").pid}

    text = top("--all", *SHORT_LOOK).stdout
    lines = top("--all", *SHORT_LOOK, "--json").stdout.splitlines()
    documents = [json.loads(line) for line in lines]

    assert len(text.splitlines()) == 3
    assert {document["pid"] for document in documents} == pids


def test_a_program_is_started_and_its_exit_code_handed_on(top: Top, folder: Path) -> None:
    done = top("--json", "--interval", "10ms", "--", TARGET, "pools")

    last = json.loads(done.stdout.splitlines()[-1])
    assert done.returncode == 0
    assert "ready" in done.stderr
    assert last["status"] == "ended"
    assert last["tasks_since_start"] > 0
    assert list(folder.iterdir()) == []


def test_a_program_that_is_still_laying_out_its_file_is_waited_for(top: Top, folder: Path) -> None:
    begun = 'truncate -s 4096 "$0/weft.0.$$.$(cut -d" " -f22 /proc/$$/stat).stat"'

    done = top("--json", "--", "sh", "-c", f"{begun}; sleep 0.2; exit 7", str(folder))

    assert done.returncode == 7
    assert "before it started a weft task" in done.stderr


def test_a_program_without_tasks_is_no_reason_to_wait(top: Top, folder: Path) -> None:
    done = top("--json", "--", "sh", "-c", "exit 7")

    assert list(folder.iterdir()) == []
    assert done.returncode == 7
    assert "before it started a weft task" in done.stderr
