# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the schema of records says of counters: a number per sample, or a reason."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import jsonschema
import pytest
from weft_lab.checks.records import PAGE, page_with_table, text_of
from weft_lab.storage import records
from weft_lab.storage.checkout import CHECKOUT

WRITE = "write them: PYTHONPATH=python python -m weft_lab.checks.records"

TIMED: dict[str, Any] = {
    "schema": 1,
    "record": "result",
    "cell": {"problem": "fib"},
    "backend": "weft_future",
    "toolchain": "gcc",
    "status": "ok",
    "samples_s": [0.5, 0.25],
    "calls_per_sample": 1,
    "warmup_calls": 1,
    "first_call_s": 0.5,
    "statistic": "median",
    "statistic_s": 0.375,
    "elements": 1,
    "bytes_min": 0,
    "oversubscribed": False,
    "parallelism": {"cpu_over_wall": None, "threads_active": None, "sequential": None},
    "resources": {"peak_rss_bytes": None, "rss_growth_bytes": None},
    "started_unix_s": 1.0,
    "verify_s": 0.0,
    "setup_s": 0.0,
    "wall_s": 1.0,
}


def is_valid(**counter: object) -> bool:
    path = resources.files("weft_lab") / "data" / "record.schema.json"
    validator: Any = jsonschema.Draft202012Validator(json.loads(path.read_text(encoding="utf-8")))
    record = TIMED | {"counters": [{"name": "tasks", "unit": "tasks"} | counter]}
    return bool(validator.is_valid(record))


def test_a_counter_of_samples_has_values() -> None:
    assert is_valid(value=7.5, per="sample", values=[7, 8])
    assert is_valid(value=7.5, per="call")


@pytest.mark.parametrize(
    "counter",
    [
        {"value": 7.5, "per": "sample"},
        {"value": 7.5, "per": "sample", "values": []},
        {"value": 7.5, "per": "sample", "values": [7, None]},
        {"value": 7.5, "per": "call", "values": [7, 8]},
        {"value": 7.5, "values": [7, 8]},
        {"value": None, "values": [7, 8], "reason": "no task has been timed"},
        {"value": None},
        {"value": 7.5, "per": "launch"},
    ],
)
def test_half_a_counter_is_none(counter: dict[str, Any]) -> None:
    assert not is_valid(**counter)


def test_what_is_unknown_has_a_reason() -> None:
    assert is_valid(value=None, reason="known of 1 of 2 samples only: no task has been timed")


def test_the_schema_and_the_page_are_those_of_the_fields() -> None:
    stored = resources.files("weft_lab") / "data" / "record.schema.json"
    page = (CHECKOUT / PAGE).read_text(encoding="utf-8")

    assert stored.read_text(encoding="utf-8") == text_of(records.schema()) + "\n", WRITE
    assert page == page_with_table(page), WRITE
    jsonschema.Draft202012Validator.check_schema(records.schema())


def test_a_field_that_is_renamed_changes_schema_and_page() -> None:
    page = (CHECKOUT / PAGE).read_text(encoding="utf-8")
    row = next(line for line in page.splitlines() if line.startswith("| `bytes_min` |"))

    assert page_with_table(page.replace(row, "| `bytes_least` | other words |")) == page
    assert "bytes_min" in records.schema()["$defs"]["timed"]["required"]


def test_a_result_is_read_with_its_types() -> None:
    counter = {"name": "tasks", "unit": "tasks", "value": 7.5, "per": "sample", "values": [7, 8]}
    result = records.Result.of(
        {**TIMED, "suite": "inncabs", "variant": "weft_future@gcc", "counters": [counter]}
    )
    skipped = records.Result.of(
        {"cell": {"problem": "fib"}, "status": "skipped", "code": "memory", "message": "9 GiB"}
    )

    assert (result.cell.suite, result.variant, result.status) == (
        "inncabs",
        "weft_future@gcc",
        "ok",
    )
    assert result.timing is not None
    assert result.timing.samples_s == (0.5, 0.25)
    assert result.timing.parallelism.sequential is None
    assert result.timing.counters[0].values == (7, 8)
    assert (skipped.timing, skipped.code, skipped.message) == (None, "memory", "9 GiB")


def test_kinds_are_read_from_the_schema() -> None:
    assert records.kinds("status", "launch", "counters", "resources", "probe_s") == {
        "status": str,
        "launch": int,
        "counters": list,
        "resources": dict,
        "probe_s": (int, float),
    }
