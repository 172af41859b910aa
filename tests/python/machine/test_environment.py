# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A mistyped setting is refused with the nearest name; the front door's settings are known."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from weft_lab.errors import UsageError
from weft_lab.machine.environment import SETTINGS, check_environment

ROOT = Path(__file__).resolve().parents[3]


def test_known_settings_and_foreign_variables_pass() -> None:
    known = {**dict.fromkeys(SETTINGS, "1"), "OMP_NUM_THREADS": "2", "PATH": "/bin"}
    check_environment(known)

    with pytest.raises(UsageError):
        check_environment(known | {"WEFT_X": "1"})


def test_a_mistyped_setting_names_the_nearest_one() -> None:
    with pytest.raises(UsageError, match=r"WEFT_NOAPT[^W]*\n.*did you mean WEFT_NO_APT"):
        check_environment({"WEFT_NOAPT": "1"})


def test_a_name_near_nothing_lists_what_is_known() -> None:
    with pytest.raises(UsageError, match="WEFT_PYTHON, WEFT_UNLOCKED"):
        check_environment({"WEFT_QQQQQQQQQQQQQQ": "1"})


def test_every_setting_the_front_door_documents_is_known() -> None:
    header = (ROOT / "weft").read_text().split("set -eu")[0]

    documented = set(re.findall(r"WEFT_[A-Z_]+(?==)", header))

    assert documented
    assert documented <= set(SETTINGS)


def test_every_variable_that_names_a_peer_to_cmake_is_known() -> None:
    """What a message or a page tells a user to set must not be refused by `./weft`."""
    lists = [*ROOT.glob("cmake/**/*.cmake"), *ROOT.glob("lab/**/*.cmake")]
    lists += [*ROOT.glob("lab/**/CMakeLists.txt"), ROOT / "CMakeLists.txt"]

    read = {
        name for path in lists for name in re.findall(r"\$ENV\{(WEFT_[A-Z_]+)\}", path.read_text())
    }

    assert {"WEFT_HPX_DIR", "WEFT_GHEX_ROOT"} <= read
    assert read <= set(SETTINGS)


def test_every_variable_that_a_remedy_tells_to_set_is_known() -> None:
    texts = [path.read_text() for path in ROOT.glob("python/weft_lab/data/*.toml")]
    texts.append((ROOT / "docs" / "measured.md").read_text())

    told = {name for text in texts for name in re.findall(r"(?:set |\| `)(WEFT_\w+_ROOT)", text)}

    assert {"WEFT_LIBFORK_ROOT", "WEFT_CCCL_ROOT"} <= told
    assert told <= set(SETTINGS)
