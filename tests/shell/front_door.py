# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A copy of the front door on a machine made of fake commands, and how to start it."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from pathlib import Path

FAKES = {
    "id": 'echo "${FAKE_UID:-0}"',
    "apt-get": """
echo "apt-get $*" >>"$CALLS"
case "$*" in
  *update*) : >"$STATE/lists" ;;
  *--assume-no*)
    if [ -n "${FAKE_EMPTY_LISTS:-}" ] && [ ! -e "$STATE/lists" ]; then
      echo "E: Unable to locate package"; exit 100
    fi
    echo "Need to get 41.2 MB of archives."; exit 1 ;;
  *) exit "${FAKE_APT_RC:-0}" ;;
esac""",
    "apt-cache": 'case " ${FAKE_UNKNOWN:-} " in *" $2 "*) exit 100 ;; esac',
    "dpkg-query": 'case " ${FAKE_INSTALLED:-} " in *" $4 "*) printf installed ;; *) exit 1 ;; esac',
    "python3": """
echo "python $*" >>"$CALLS"
case "$*" in
  *"-m venv"*) mkdir -p "$3/bin"; cp="$3/bin/python"; cat "$0" >"$cp"; /bin/chmod +x "$cp"
    exit "${FAKE_VENV_RC:-0}" ;;
  *"-m pip"*)
    echo "PYTHONPATH=${PYTHONPATH-unset}"; echo "pip was asked"
    case "$*" in *--no-index*"${FAKE_LACKS:-nothing}"*) exit 1 ;; esac
    while [ $# -gt 0 ]; do
      case $1 in
        --requirement) cat "$2" >"$STATE/requirements"; name=${2##*/} ;;
        --target) mkdir -p "$2/deep/include" ;;
        --dest) mkdir -p "$2"; : >"$2/${name%.lock}.whl" ;;
      esac
      shift
    done
    sleep "${FAKE_PIP_S:-0}"; exit "${FAKE_PIP_RC:-0}" ;;
  *"-m weft_lab"*) shift 3; echo "lab[$*] $PYTHONPATH" ;;
esac""",
}


@dataclass
class FrontDoor:
    """The copied checkout, its fake machine, and how to start it."""

    checkout: Path
    machine: Path
    fakes: dict[str, str] = field(default_factory=dict)

    def start(
        self, *arguments: str, door: Path | None = None, cwd: Path | None = None, **fakes: str
    ) -> Done:
        """Runs ./weft with these arguments; `fakes` set how the fake commands behave."""
        process = self.start_in_background(*arguments, door=door, cwd=cwd, **fakes)
        output, messages = process.communicate(timeout=120)
        return Done(process.returncode, output, messages)

    def start_in_background(
        self, *arguments: str, door: Path | None = None, cwd: Path | None = None, **fakes: str
    ) -> subprocess.Popen[str]:
        """Starts ./weft and does not wait."""
        environment = {"PATH": str(self.machine / "bin"), "STATE": str(self.machine)}
        environment |= {"CALLS": str(self.machine / "calls"), **self.fakes, **fakes}
        return subprocess.Popen(
            [door or self.checkout / "weft", *arguments],
            env=environment,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def calls(self, program: str) -> list[str]:
        """Returns the calls of a fake command since the last look, and forgets all calls."""
        path = self.machine / "calls"
        lines = path.read_text().splitlines() if path.exists() else []
        path.write_text("")
        return [line for line in lines if line.startswith(program)]


@dataclass(frozen=True)
class Done:
    """How a start ended."""

    exit_code: int
    output: str
    messages: str
