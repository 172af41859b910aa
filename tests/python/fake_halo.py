# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for mpirun, and for the suite's program behind it: times follow a known law.

Rows by hand take 1 us and 1 ns per halo cell; weft is twice as fast, but for rows of 16 cells cut
along the last dimension, where its own memory is slower. Rounds by hand are as rows, but for cubes
of 4 cells with one halo cell cut along the first, where they are faster than weft. On memory of
make_field rows by hand take four fifths of their time.
`WEFT_FAKE_WRONG` names a contestant whose cells are wrong, `WEFT_FAKE_DEATH` a mode that dies.
"""

from __future__ import annotations

import json
import os
import random
import sys
from typing import Any

CONTESTANTS = (
    "by_hand_rows",
    "by_hand_cells",
    "by_hand_rounds",
    "by_hand_datatypes",
    "neighbor_alltoallw",
    "by_hand_rows_make_field",
    "weft_make_field",
    "weft_own_memory",
    "weft_exchange_any",
    "weft_messages",
    "weft_mpi_pack",
    "weft_mpi_datatype",
)


def main(arguments: list[str]) -> int:
    if "--version" in arguments:
        print("mpirun (Open MPI) 4.1.4")
        return 0
    ranks = int(arguments[arguments.index("-n") + 1])
    start = next(i for i, word in enumerate(arguments) if word.endswith("weft_mpi_halo"))
    mode, rest = arguments[start + 1], arguments[start + 2 :]
    is_functional = "--functional" in rest
    only = rest[rest.index("--only") + 1].split(",") if "--only" in rest else CONTESTANTS
    _say({"record": "mpi_program", "library": "Open MPI v4.1.4", "contestants": list(CONTESTANTS)})
    for case in _cases(rest, ranks):
        for name in only:
            _say(
                {
                    "record": "mpi_result",
                    "suite": "halo",
                    "problem": mode,
                    "contestant": name,
                    "params": case,
                    "num_ranks": ranks,
                    "is_functional_only": is_functional,
                    **_outcome(mode, name, case),
                }
            )
    if os.environ.get("WEFT_FAKE_DEATH") == mode:
        print("a rank died on signal 9", file=sys.stderr)
        return 137
    return 4 if os.environ.get("WEFT_FAKE_WRONG") in only else 0


def _outcome(mode: str, name: str, case: dict[str, Any]) -> dict[str, Any]:
    if os.environ.get("WEFT_FAKE_WRONG") == name:
        return {"status": "wrong", "message": f"{name}: cell 7 of rank 1 is -1, expected 9"}
    seconds = 1e-6 + 1e-9 * case["face_bytes"] / 8
    if name.startswith("weft"):
        seconds *= 0.5
        if name == "weft_own_memory" and case["size"][2] == 16 and case["dims"][2] == 2:
            seconds *= 3
    if name == "by_hand_rows_make_field":
        seconds *= 0.8
    if name == "by_hand_rounds" and case["size"][0] == 4 and case["halo"] == 1:
        seconds *= 0.25 if case["dims"][0] == 2 else 1.0
    launch = random.lognormvariate(0.0, 0.005)
    kinds = {
        "exchange": {"exchange": 1.0},
        "steps": {"pack": 0.3, "transfer": 0.5, "unpack": 0.2},
        "overlap": {
            "alone": 1.0,
            "compute": 1.1,
            "in_turn": 2.2,
            "together": 2.0 if "weft" in name else 2.5,
            **({} if name == "by_hand_rows" else {"progressed": 1.9}),
        },
    }
    samples = {
        f"{kind}_s": [seconds * share * launch * random.lognormvariate(0.0, 0.005)] * 5
        for kind, share in kinds[mode].items()
    }
    return {"status": "ok", "calls_per_sample": 3, **samples}


def _cases(words: list[str], ranks: int) -> list[dict[str, Any]]:
    found, now = [], {"--size": "64", "--halo": "3", "--fields": "3", "--dims": "0,0,0"}
    periodic = True
    for index, word in enumerate([*words, "--next"]):
        if word in now:
            now[word] = words[index + 1]
        elif word in ("--open", "--periodic"):
            periodic = word == "--periodic"
        elif word == "--next":
            found.append(_params(now, ranks, periodic))
    return found


def _params(given: dict[str, str], ranks: int, periodic: bool) -> dict[str, Any]:
    parts = [int(part) for part in given["--size"].split(",")]
    size = parts * 3 if len(parts) == 1 else parts
    width, fields = int(given["--halo"]), int(given["--fields"])
    dims = [int(part) for part in given["--dims"].split(",")]
    cells = 8 * fields * width
    return {
        "size": size,
        "halo": width,
        "fields": fields,
        "dims": [ranks, 1, 1] if 0 in dims else dims,
        "periodic": periodic,
        "face_bytes": cells * max(size[0] * size[1], size[1] * size[2], size[0] * size[2]),
        "edge_bytes": cells * width * max(size),
        "corner_bytes": cells * width * width,
        "sent_bytes": cells,
        "num_directions": 26,
        "num_peers": ranks - 1,
    }


def _say(record: dict[str, Any]) -> None:
    print(json.dumps({"schema": 1, **record}), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
