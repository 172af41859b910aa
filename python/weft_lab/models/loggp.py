# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LogGP's parameters from a delayed ping-pong: what a message costs the processor and the wire.

Formula: T(n) = L + o_s + o_r + (n - 1) G; o_s is the time inside the send, o_r that inside the
         receive of a message that has arrived already, g the interval of back-to-back sends; with a
         delay d between receive and reply the round trip is R(d) = 2 T + max(d - w, 0), where
         w is what the delay hides.
Units:   L, o_s, o_r, g seconds; G seconds per byte; sizes in bytes.
Assumptions: both ends are alike; messages are eager, so that a send returns before the receive.
Source:  Alexandrov, Ionescu, Schauser, Scheiman, LogGP, SPAA 1995; Culler et al., Assessing Fast
         Network Interfaces, IEEE Micro 16 (1996).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft_lab.models.arrays import ModelError, Numbers, positive, same_length
from weft_lab.models.latency_bandwidth import relative


@dataclass(frozen=True)
class LogGP:
    """`wire_s` is L; `clipped`: the measured overheads exceeded the whole time."""

    wire_s: float
    send_overhead_s: float
    receive_overhead_s: float
    gap_s: float
    s_per_byte: float
    clipped: bool

    def time_s(self, size_bytes: float) -> float:
        """One message, from the begin of the send to the end of the receive."""
        ends_s = self.send_overhead_s + self.receive_overhead_s
        return self.wire_s + ends_s + max(size_bytes - 1.0, 0.0) * self.s_per_byte


@dataclass(frozen=True)
class DelayedPingPong:
    """The measurements, one value per size. Units: seconds, of one direction and one message.

    `time_s`: half the round trip without delay; `send_s`: inside the send; `receive_s`: inside a
    receive that begins long after the message has arrived; `gap_s`: per message of a long burst.
    """

    sizes_bytes: Numbers
    time_s: Numbers
    send_s: Numbers
    receive_s: Numbers
    gap_s: Numbers


def loggp(measured: DelayedPingPong) -> LogGP:
    """The parameters; overheads and gap are those of the smallest message.

    Errors:  `ModelError` for fewer than 3 sizes, or values that are not positive.
    """
    sizes = positive("sizes", measured.sizes_bytes)
    times = positive("times", measured.time_s)
    same_length(sizes, times, 3)
    smallest = int(np.argmin(sizes))
    send = float(positive("send times", measured.send_s)[smallest])
    receive = float(positive("receive times", measured.receive_s)[smallest])
    gap = float(positive("gaps", measured.gap_s)[smallest])
    line = relative(np.maximum(sizes - 1.0, 0.0), times)
    wire = line.latency_s - send - receive
    return LogGP(max(wire, 0.0), send, receive, gap, line.s_per_byte, wire < 0.0)


def hidden_s(delays_s: Numbers, round_trips_s: Numbers) -> tuple[float, float]:
    """From round trips with growing delays: the round trip without delay, and the hidden part of a
    delay.

    Formula: R(d) = r + max(d - w, 0), by least squares over w among the delays' intervals.
    Errors:  `ModelError` for fewer than 4 delays, or if no delay is long enough to have an effect.
    """
    delays = np.asarray(delays_s, dtype=np.float64)
    trips = positive("round trips", round_trips_s)
    same_length(delays, trips, 4)
    best: tuple[float, float, float] | None = None
    for hidden in np.linspace(delays.min(), delays.max(), 512):
        visible = np.maximum(delays - hidden, 0.0)
        base = float(np.mean(trips - visible))
        error = float(np.sum((trips - visible - base) ** 2))
        if best is None or error < best[0]:
            best = (error, base, float(hidden))
    assert best is not None
    if best[2] >= float(delays.max()):
        raise ModelError(
            what="no delay was long enough to lengthen the round trip",
            why=f"the longest is {delays.max():.3g} s",
            remedy="measure with delays beyond the round trip",
        )
    return best[1], best[2]
