# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kept OpenMetrics text, which a C++ test compares with ours, read by a strict parser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

TEXT = Path(__file__).resolve().parents[2] / "counters" / "data" / "openmetrics.txt"


def families(text: str) -> dict[str, Any]:
    """Returns the metrics by name."""
    found = text_string_to_metric_families(text)  # type: ignore[no-untyped-call]
    return {family.name: family for family in found}


def kept() -> str:
    """Returns the text as the library writes it."""
    return TEXT.read_text(encoding="utf-8")


def test_the_text_is_valid_and_types_and_units_arrive() -> None:
    found = families(kept())

    tasks = found["weft_threads_count_cumulative"]
    assert (tasks.type, tasks.unit) == ("counter", "")
    assert tasks.documentation == 'Tasks "run" to\nthe end \\o/.'
    assert found["weft_threads_time_cumulative_seconds"].unit == "seconds"
    assert found["weft_threads_idle_rate_ratio"].type == "gauge"
    assert found["weft_runtime_memory_resident_bytes"].unit == "bytes"


def test_values_are_exact_and_labelled() -> None:
    samples = families(kept())["weft_threads_count_cumulative"].samples

    assert [(sample.labels, sample.value) for sample in samples] == [
        ({"rank": "0"}, 9007199254740993),
        ({"rank": "0", "pool": "default", "worker": "0"}, 5),
        ({"rank": "0", "pool": "default", "worker": "1"}, 6),
    ]


def test_a_histogram_is_cumulative_and_in_seconds() -> None:
    samples = families(kept())["weft_threads_histogram_task_duration_seconds"].samples

    buckets = {s.labels["le"]: s.value for s in samples if s.name.endswith("_bucket")}
    assert buckets == {"1e-06": 2, "2e-06": 2, "2e+06": 4, "+Inf": 4}
    assert [s.value for s in samples if s.name.endswith("_sum")] == [4.5e-06]
    assert [s.value for s in samples if s.name.endswith("_count")] == [4]


def test_escapes_arrive_as_what_they_stand_for() -> None:
    sample = families(kept())["weft_counter_unavailable"].samples[0]

    assert sample.labels["reason"] == 'no "PMU"\nin this guest'


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("# EOF\n", ""),
        ("count_cumulative_total{", "count_cumulative{"),
        ('le="+Inf"', 'le="3e+06"'),
        ('le="2e-06"} 2', 'le="2e-06"} 1'),
        ("idle_rate_ratio ratio", "idle_rate_ratio percent"),
    ],
)
def test_the_parser_notices_what_is_wrong(right: str, wrong: str) -> None:
    assert right in kept()

    with pytest.raises(ValueError, match=r"."):
        families(kept().replace(right, wrong))
