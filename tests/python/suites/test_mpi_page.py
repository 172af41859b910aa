# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the suite's page lets one look into: thresholds, pairs, predictions, more nodes."""

from __future__ import annotations

import html
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mpi_records import (
    FAST_BYTES_PER_S,
    SIZES_BYTES,
    SLOW_BYTES_PER_S,
    kernels,
    ping_pong,
    results_of,
    row,
)
from weft_lab.measuring.mpi.thresholds import thresholds_in
from weft_lab.models.segments import segmented
from weft_lab.pages.plain_page import PlainPage, Section, write_plain_page
from weft_lab.suites.mpi import charts, explorer, forecasting, jacobi_tables, page, tables
from weft_lab.suites.mpi.results import Results

OMPI_INFO = """mca:btl:tcp:param:btl_tcp_eager_limit:value:65536
mca:btl:tcp:param:btl_tcp_eager_limit:help:Maximum size of "short" messages
mca:btl:tcp:param:btl_tcp_max_send_size:value:131072
mca:btl:tcp:param:btl_tcp_links:value:1
mca:btl:vader:param:btl_vader_eager_limit:value:4096
"""


def values_of(spec: Any, key: str) -> list[Any]:  # noqa: ANN401 - JSON
    """All values of a key, wherever it stands."""
    if isinstance(spec, dict):
        own = [spec[key]] if key in spec else []
        return own + [found for each in spec.values() for found in values_of(each, key)]
    if isinstance(spec, list):
        return [found for each in spec for found in values_of(each, key)]
    return []


def launched(rows: list[dict[str, Any]], spread: float) -> list[dict[str, Any]]:
    """Three launches, each slower than the one before by that share."""
    return [
        {
            **each,
            "launch": number,
            "samples_s": [time * (1.0 + spread * number) for time in each["samples_s"]],
        }
        for number in range(3)
        for each in rows
    ]


def apart(num_hosts: int, transport: str = "shm", spread: float = 0.1) -> Results:
    """Messages within and between hosts, kernels, and a sweep with one rank per host."""
    cable = ping_pong(SLOW_BYTES_PER_S, "hot", transport=transport)
    grid = [num_hosts, 1, 1]
    sweep = row(
        "jacobi",
        "jacobi hosts",
        0.02,
        params={"global_cells": [64, 64, 64], "topology": grid},
        local_cells=[64 // num_hosts, 64, 64],
        launch=9,
        transport=transport,
    )
    hosts = [{"host": f"h{number}"} for number in range(num_hosts)]
    places = {"record": "mpi_program", "launch": 9, "ranks": hosts}
    rows = [
        *launched(kernels(1.0), 0.01),
        *launched(ping_pong(FAST_BYTES_PER_S, "hot"), 0.01),
        *launched([{**each, "pair": "hosts"} for each in cable], spread),
        sweep,
    ]
    return replace(results_of(rows), programs=(places,))


def relative_width(found: forecasting.Expected) -> float:
    low, high = found.updates_per_s.low, found.updates_per_s.high
    assert low is not None
    assert high is not None
    return high / low


def test_thresholds_are_the_librarys_own_and_of_the_layer_in_use() -> None:
    found = thresholds_in(OMPI_INFO, ["tcp"])

    assert found == {"btl_tcp_eager_limit": 65536, "btl_tcp_max_send_size": 131072}
    assert thresholds_in("", ["tcp"]) == {}


def test_the_explorer_draws_measured_fitted_caches_and_thresholds() -> None:
    rows = ping_pong(FAST_BYTES_PER_S, "hot")
    twice = [{**each, "launch": launch} for launch in (1, 2) for each in rows]
    series = results_of(twice).series()[0]
    models = [(series, segmented(series.sizes, series.launches))]

    spec = explorer.explorer(models, {"L2": 1 << 20}, {"btl_tcp_eager_limit": 65536})

    assert len(spec["vconcat"]) == 3
    every = [each for data in values_of(spec, "values") for each in data]
    held = [each for each in every if isinstance(each, dict)]  # besides ticks
    limit = {"size_bytes": 65536, "threshold": "btl_tcp_eager_limit", "letter": "a"}
    assert limit in held
    assert {"size_bytes": 1 << 20, "cache": "L2"} in held
    assert {each.get("kind") for each in held} >= {"measured", "regimes", "ordinary"}
    assert any("residual" in each for each in held)


def told_by(*ranks: tuple[str, int, dict[str, int]]) -> Results:
    places = [
        {"host": host, "core": core, "data_caches_bytes": caches} for host, core, caches in ranks
    ]
    program = {"record": "mpi_program", "launch": 1, "ranks": places}
    return replace(results_of([]), programs=(program, program))


def test_caches_are_those_of_the_cpus_that_were_measured() -> None:
    small, large = {"L1": 1 << 15, "L2": 1 << 19}, {"L1": 1 << 15, "L2": 1 << 21}

    assert told_by(("a", 0, small), ("b", 0, small)).caches == small
    assert told_by(("a", 0, small), ("b", 0, large)).caches == {
        "L1 of a": 1 << 15,
        "L1 of b": 1 << 15,
        "L2 of a": 1 << 19,
        "L2 of b": 1 << 21,
    }
    mixed = told_by(("a", 0, small), ("a", 4, large)).caches
    assert mixed["L2 of a, core 0"] == 1 << 19
    assert mixed["L2 of a, core 4"] == 1 << 21


def test_caches_that_no_rank_told_are_not_known() -> None:
    silent = replace(results_of([]), programs=({"launch": 1, "ranks": [{"host": "a"}]},))

    assert silent.caches == {}
    assert "are unknown" in tables.cache_words(silent)
    assert tables.cache_words(told_by(("a", 0, {"L2": 3 << 19}))).endswith("CPUs: L2 1.5 MiB.")


def test_every_pair_has_its_latency_and_bandwidth_both_ways_round() -> None:
    rows = [
        row(
            "pingpong",
            "pingpong pairs",
            seconds,
            params={"mode": "pairs", "size_bytes": size, "cache": "hot"},
            pair_ranks=[first, last],
        )
        for first, last, slower in ((0, 1, 1.0), (0, 2, 3.0), (1, 2, 1.0))
        for size, seconds in ((1, slower * 1e-6), (1 << 22, slower * 1e-3))
    ]

    found = tables.pair_rows(results_of(rows))

    assert len(found) == 6
    far = [each for each in found if {each["first"], each["second"]} == {0, 2}]
    assert [each["latency_us"] for each in far] == pytest.approx([3.0, 3.0])
    assert [each["mb_per_s"] for each in far] == pytest.approx([(1 << 22) / 3e-3 / 1e6] * 2)
    assert len(tables.pair_table(results_of(rows)).rows) == 3
    assert len(explorer.heat_map(found)["hconcat"]) == 2


def test_more_nodes_are_expected_from_messages_between_hosts_alone() -> None:
    near = results_of([*kernels(1.0), *ping_pong(FAST_BYTES_PER_S, "hot")])
    assert forecasting.expectations(near) == []

    found = forecasting.expectations(apart(2))

    assert [each.num_nodes for each in found] == [1, 2, 4, 8], "to four times the hosts measured"
    assert [each.is_measured for each in found] == [False, True, False, False]
    for each in found:
        low, high = each.updates_per_s.low, each.updates_per_s.high
        assert low is not None
        assert high is not None
        assert low < each.updates_per_s.value < high
    alone = found[0].updates_per_s.value
    # Kernels that are off by 1 % from launch to launch: the middle one of three counts.
    assert alone == pytest.approx(1.0 / (1.01 * (1e-8 + 24.0 / 2.4e10)), rel=1e-3)
    assert found[3].updates_per_s.value < 8 * alone
    assert len(forecasting.expectation_table(apart(2)).rows) == 4


def test_more_nodes_are_expected_where_kernels_ran_over_another_transport_than_the_sweep() -> None:
    found = forecasting.expectations(apart(2, "tcp"))

    assert [each.num_nodes for each in found] == [1, 2, 4, 8]
    same = forecasting.expectations(apart(2, "shm"))
    assert [each.updates_per_s.value for each in found] == pytest.approx(
        [each.updates_per_s.value for each in same]
    )


def test_the_interval_of_more_nodes_is_that_of_the_cable_too() -> None:
    steady, shaken = (forecasting.expectations(apart(2, "tcp", spread)) for spread in (0.01, 0.3))

    assert relative_width(shaken[0]) == pytest.approx(relative_width(steady[0])), "has no cable"
    assert relative_width(shaken[3]) > 1.3 * relative_width(steady[3])
    once = apart(2)
    rows = tuple(each for each in once.records if each["launch"] in (1, 9))
    alone = forecasting.expectations(replace(once, records=rows))[3].updates_per_s
    assert (alone.low, alone.high) == (None, None), "launched once, nothing is known of it"


def test_pairs_share_the_cable_unless_many_at_once_were_faster_than_one() -> None:
    one = apart(2, "tcp")
    link = jacobi_tables.link_of(one, "a", "tcp", jacobi_tables.BETWEEN_NODES)
    assert link is not None
    assert link.rates.link_bytes_per_s == link.rates.pair_bytes_per_s

    # Four pairs take 4 / 1.5 times as long as one, or, where the cable is no limit, as long.
    for slower, limit in ((4.0 / 1.5, 1.5), (1.0, None)):
        many = [
            row(
                "pingpong",
                "pingpong hosts 4 pairs",
                1e-6 + slower * size / SLOW_BYTES_PER_S,
                params={"mode": "multipair", "size_bytes": size, "cache": "hot", "num_pairs": 4},
                pair="hosts",
                transport="tcp",
            )
            for size in SIZES_BYTES
        ]
        rows = (*apart(2, "tcp", 0.0).records, *many)
        found = jacobi_tables.link_of(
            replace(one, records=rows), "a", "tcp", jacobi_tables.BETWEEN_NODES
        )
        assert found is not None
        whole = None if limit is None else pytest.approx(limit * SLOW_BYTES_PER_S, rel=0.02)
        assert found.rates.link_bytes_per_s == whole


def test_names_of_points_that_lie_close_stand_apart() -> None:
    names = ["1x1x1", "2x1x1 weak", "2x1x1", "1x2x1", "1x1x2 overlapped", "2x1x1 overlapped"]
    points = [
        (410.0, 5.0),
        (200.0, 201.0),
        (203.0, 200.0),
        (206.0, 204.0),
        (209.0, 199.0),
        (0.0, 419.0),
    ]

    boxes = explorer.label_boxes(points, names)

    dots = [
        explorer.Box(x - explorer.DOT_PX, y - explorer.DOT_PX, x, y + explorer.DOT_PX)
        for x, y in points
    ]
    for number, box in enumerate(boxes):
        assert not any(box.meets(other) for other in (*boxes[:number], *dots))
        assert box.left >= 0.0
    # Alone, a name stands right beside its point.
    ((x, y), (alone,)) = points[1], explorer.label_boxes(points[1:2], names[1:2])
    assert alone.left == x + explorer.DOT_PX + 2
    assert (alone.top + alone.bottom) / 2 == y


def test_thresholds_have_letters_that_the_page_explains() -> None:
    limits = {"btl_b": 32768, "btl_a": 4096, "btl_c": 32768}
    transports = tuple(
        {"mpi": "a", "transport": name, "is_usable": True, "thresholds_bytes": sizes}
        for name, sizes in (("shm", limits), ("tcp", {"btl_tcp": 1 << 20}))
    )
    known = {"mpi": {"transports": transports}}
    results = replace(results_of(ping_pong(FAST_BYTES_PER_S, "hot")), manifest=known)

    assert charts.lettered(results.thresholds) == [
        ("a", 4096, "btl_a"),
        ("b", 32768, "btl_b, btl_c"),
    ]
    (words,) = tables.threshold_words(results)
    assert "a 4 KiB: btl_a; b 32 KiB: btl_b, btl_c." in words
    assert tables.threshold_words(results_of([])) == ()


def test_no_figure_stands_in_the_page_twice() -> None:
    drawn = [stem for stems in page.DRAWN.values() for stem in stems]

    assert len(drawn) == len(set(drawn))
    # What the explorer draws, it stands in the place of.
    assert {"mpi_time", "mpi_bandwidth", "mpi_residuals"} == set(page.DRAWN["mpi_fits"])


def test_a_residual_has_a_colour_and_an_exact_prediction_none() -> None:
    point = {"topology": "2x1x1", "measured": 100.0, "predicted": 110.0, "residual": 0.1}

    text = json.dumps(explorer.predicted([point]))

    assert '"redblue"' in text
    assert '"residual"' in text


def test_a_page_runs_scripts_only_where_a_chart_needs_them(tmp_path: Path) -> None:
    page = PlainPage("title", "subtitle", "citation")
    spec = {"mark": "point", "data": {"values": [{"x": "</script>"}]}}

    paths = [
        write_plain_page(tmp_path / name, page, [section])
        for name, section in (("a", Section("a")), ("b", Section("a", spec=spec)))
    ]
    still, drawn = (html.unescape(path.read_text("utf-8")) for path in paths)

    assert "<script" not in still
    assert "script-src" not in still
    assert "script-src 'sha256-" in drawn
    assert '</script>"' not in drawn
    assert 'class="drawn"' in drawn


def test_regimes_of_equal_launches_have_intervals_without_width() -> None:
    sizes = np.array([1.0, 8.0, 64.0, 512.0, 4096.0, 32768.0])
    times = 1e-6 + sizes / 1e9

    found = segmented(sizes, [times, times, times])

    assert len(found.regimes) == 1
    assert found.regimes[0].latency.low == pytest.approx(1e-6)
    assert found.regimes[0].latency.high == pytest.approx(1e-6)
