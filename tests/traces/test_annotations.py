# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names that a program gives to parts of its tasks."""

from __future__ import annotations

import pytest
from conftest import runner
from trace_reader import Trace, read_trace


@pytest.fixture(scope="module", params=[1, 2])
def trace(
    request: pytest.FixtureRequest, annotated_program: str, tmp_path_factory: pytest.TempPathFactory
) -> Trace:
    """One run with so many workers, whose trace the tests only read."""
    folder = tmp_path_factory.mktemp("named")
    done = runner(folder)(
        annotated_program,
        f"--weft:workers={request.param}",
        "--weft:trace=named.pftrace",
        WEFT_TRACE_BUFFER="1MiB",
    )
    assert done.returncode == 0, done.stderr
    assert "left out" not in done.stderr
    return read_trace(folder / "named.pftrace")


def test_a_scope_is_a_slice_within_its_task(trace: Trace) -> None:
    (outer,) = trace.named("outer")
    (inner,) = trace.named("inner")

    assert outer.category == inner.category == "annotation"
    assert (outer.depth + 1, outer.track) == (inner.depth, inner.track)
    assert outer.depth >= 1
    assert outer.begin_ns <= inner.begin_ns
    assert inner.end_ns is not None
    assert outer.end_ns is not None
    assert inner.end_ns <= outer.end_ns


def test_what_an_executor_runs_has_its_name(trace: Trace) -> None:
    # A task, and an algorithm's caller; others help if they come in time.
    assert len(trace.named('by "executor"')) >= 2


def test_a_name_comes_back_after_a_wait(trace: Trace) -> None:
    stays = trace.named("around a wait")

    assert len(stays) in {1, 2}  # the event may have been there before the wait
    assert stays[0].category == "annotation"
    assert all(each.end_ns is not None for each in stays)
