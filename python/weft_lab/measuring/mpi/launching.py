# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command that starts ranks, with launcher, transport, placement and hosts; and its result."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from weft_lab.errors import UsageError
from weft_lab.measuring.mpi.installations import Installation
from weft_lab.measuring.mpi.transports import Transport
from weft_lab.measuring.process import die_with_parent

Binding = Literal["core", "hwthread", "none"]
# `threads`: on hardware threads of cores without a rank, as long as there are any. `siblings`: on
# hardware threads in order, those of a core one after the other.
Placing = Literal["cores", "threads", "siblings"]
SRUN_BINDINGS: Mapping[Binding, str] = {"core": "cores", "hwthread": "threads", "none": "none"}
# Domains of one hardware thread each; neighbouring domains share as little, or as much, as
# possible.
INTEL_ORDERS: Mapping[Placing, str] = {"threads": "scatter", "siblings": "compact"}
STDERR_LINES = 6
SLURM = "SLURM_"
# A library's own diagnostic output: `[host:1234] mca: ...`.
TALK = re.compile(r"\[[^\]\s]+:\d+\] (mca|select|btl|pml|common)\b")


# Intel MPI finds the other ranks by the library of the scheduler that started it.
PMI_VARIABLE = "I_MPI_PMI_LIBRARY"
PMI_LIBRARIES = ("usr/lib64/libpmi2.so*", "usr/lib/*/libpmi2.so*", "opt/slurm/lib*/libpmi2.so*")


@dataclass(frozen=True)
class Launch:
    """A start of ranks by an MPI launcher.

    `hosts`: empty is this machine. `agent`: the command that reaches a host, ssh by default.
    `prefix`: the command that runs the launcher itself. `uses_srun`: within a job of Slurm, `srun`
    starts ranks, not the MPI's own launcher. `placing`: what each rank is bound to.
    """

    installation: Installation
    program: Path
    arguments: tuple[str, ...]
    num_ranks: int
    transport: Transport | None = None
    hosts: tuple[str, ...] = ()
    agent: str = ""
    interface: str = ""
    is_functional: bool = False
    is_probe: bool = False
    prefix: tuple[str, ...] = ()
    uses_srun: bool = False
    placing: Placing = "cores"

    @property
    def per_host(self) -> int:
        """Ranks of a host; the last one may have fewer."""
        return -(-self.num_ranks // max(len(self.hosts), 1))

    @property
    def binding(self) -> Binding:
        if self.is_functional or self.agent:
            return "none"
        return "core" if self.placing == "cores" else "hwthread"


@dataclass(frozen=True)
class Outcome:
    """Records in the order they came. `failure` is empty if the launch ended well."""

    records: tuple[dict[str, Any], ...]
    failure: str
    stderr: str
    command: str = field(default="")
    talk: str = field(default="")

    @property
    def results(self) -> list[dict[str, Any]]:
        return [row for row in self.records if row.get("record") == "mpi_result"]

    @property
    def program(self) -> dict[str, Any] | None:
        return next((row for row in self.records if row.get("record") == "mpi_program"), None)


def command_of(what: Launch) -> list[str]:
    """The launcher's command line. Errors: `UsageError` for no ranks."""
    if what.num_ranks < 1:
        raise UsageError(
            what=f"{what.num_ranks} ranks cannot be started",
            why="a launch has at least one",
            remedy="type for example --ranks 2",
        )
    parts = _srun(what) if what.uses_srun else _own_launcher(what)
    own = ["--expect-ranks", str(what.num_ranks)]
    own += ["--functional", "yes"] if what.is_functional else []
    head, *rest = what.arguments
    return [*what.prefix, *parts, str(what.program), head, *own, *rest]


def environment_of(what: Launch, base: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables of the child process."""
    found = what.installation.environment(base)
    if not what.hosts and not what.uses_srun:
        # In a job of one task, a launcher with Slurm support would start one rank, by Slurm.
        found = {name: text for name, text in found.items() if not name.startswith(SLURM)}
    if what.uses_srun:
        found |= _srun_variables(what, base)
    if what.transport is not None:
        found |= what.transport.environment
        found |= what.transport.probe_environment if what.is_probe else {}
    if what.installation.family == "intel":
        found |= _intel_pinning(what)
    return found


def shown(what: Launch) -> str:
    """The command as a user can type it again, with the variables that differ from the user's own
    or that the user does not see."""
    own = environment_of(what)
    changed = {name: value for name, value in own.items() if os.environ.get(name) != value}
    variables = [f"{name}={shlex.quote(value)}" for name, value in sorted(changed.items())]
    gone = [word for name in sorted(set(os.environ) - set(own)) for word in ("-u", name)]
    unset = ["env", *gone] if gone else []
    return " ".join([*unset, *variables, shlex.join(command_of(what))])


def run(what: Launch, timeout_s: float) -> Outcome:
    """Starts the launch and waits; its output before a failure or a timeout is kept.

    Threads: blocks. The launcher and its ranks are one process group, killed as a whole.
    """
    command = command_of(what)
    if shutil.which(command[0]) is None:
        return Outcome((), f"cannot start {command[0]}: there is no such program", "", shown(what))
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                [*die_with_parent(), *command],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=errors,
                env=environment_of(what),
                start_new_session=True,
            )
        except OSError as error:
            return Outcome((), f"cannot start {command[0]}: {error.strerror}", "", shown(what))
        try:
            code: int | None = process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        out.seek(0)
        errors.seek(0)
        text = errors.read().decode(errors="replace")
        said = out.read().decode(errors="replace")
    records = parse(said)
    failure = failure_of(code, records, text, timeout_s)
    return Outcome(records, failure, text, shown(what), diagnostics_of(said) + text)


def parse(text: str) -> tuple[dict[str, Any], ...]:
    """The records among the lines; a library's other output and incomplete lines are skipped."""
    found = []
    for line in text.splitlines():
        with contextlib.suppress(ValueError):
            row = json.loads(line)
            if isinstance(row, dict) and "record" in row:
                found.append(row)
    return tuple(found)


def diagnostics_of(text: str) -> str:
    """The lines that are not records: MPICH and Intel MPI write diagnostics to the program's
    output."""
    return "".join(f"{line}\n" for line in text.splitlines() if not line.startswith("{"))


def failure_of(
    code: int | None, records: Sequence[Mapping[str, Any]], stderr: str, timeout_s: float
) -> str:
    """Why a launch is not a measurement; empty if it is."""
    told = [str(row["message"]) for row in records if row.get("status") not in (None, "ok")]
    if told:
        return told[0]
    if code is None:
        return f"no end within {timeout_s:.0f} s: a rank died or hangs; all were killed"
    if code != 0:
        return f"ended with exit code {code}: {last_words(stderr)}"
    if not any(row.get("record") == "mpi_result" for row in records):
        return "ended without a result"
    return ""


def last_words(stderr: str) -> str:
    """The informative lines of a launcher's error."""
    lines = [line.strip() for line in stderr.splitlines()]
    told = [line for line in lines if line and not set(line) <= set("-=*") and not TALK.match(line)]
    return " ".join(told[:STDERR_LINES]) or "it said nothing"


def _own_launcher(what: Launch) -> list[str]:
    parts = [str(what.installation.launcher), "-n", str(what.num_ranks)]
    parts += _openmpi(what) if what.installation.family == "openmpi" else _hydra(what)
    return [*parts, *_transport_arguments(what)]


def _transport_arguments(what: Launch) -> tuple[str, ...]:
    if what.transport is None:
        return ()
    probe = what.transport.probe_arguments if what.is_probe else ()
    return (*what.transport.arguments, *probe)


def _intel_pinning(what: Launch) -> dict[str, str]:
    if what.binding == "none":
        return {"I_MPI_PIN": "0"}
    if what.placing == "cores":
        return {"I_MPI_PIN_DOMAIN": "core"}
    order = INTEL_ORDERS[what.placing]
    return {"I_MPI_PIN_DOMAIN": "1", "I_MPI_PIN_CELL": "unit", "I_MPI_PIN_ORDER": order}


def _srun(what: Launch) -> list[str]:
    """Slurm starts the ranks; each MPI finds the others by the protocol that it was built with."""
    protocol = "pmix" if what.installation.family == "openmpi" else "pmi2"
    num_hosts = str(max(len(what.hosts), 1))
    parts = ["srun", f"--mpi={protocol}", "--nodes", num_hosts, "--ntasks", str(what.num_ranks)]
    if what.hosts:
        parts += ["--nodelist", ",".join(what.hosts)]
    parts += ["--ntasks-per-node", str(what.per_host), "--distribution=block"]
    parts += ["--kill-on-bad-exit=1", f"--cpu-bind={SRUN_BINDINGS[what.binding]}"]
    return [*parts, "--overcommit"] if what.is_functional else parts


def _srun_variables(what: Launch, base: Mapping[str, str]) -> dict[str, str]:
    """The variables for ranks that no launcher of their own MPI starts."""
    if what.installation.family == "openmpi":
        return _mca_variables(_transport_arguments(what))
    if what.installation.family == "intel" and PMI_VARIABLE not in base:
        found = sorted(path for pattern in PMI_LIBRARIES for path in Path("/").glob(pattern))
        return {PMI_VARIABLE: str(found[0])} if found else {}
    return {}


def _mca_variables(arguments: Sequence[str]) -> dict[str, str]:
    """`--mca name value` as a variable that Open MPI reads without mpirun."""
    words = iter(arguments)
    return {f"OMPI_MCA_{next(words)}": next(words) for word in words if word == "--mca"}


def _openmpi(what: Launch) -> list[str]:
    parts = ["--bind-to", what.binding]
    if what.is_functional:
        parts += ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
    if what.hosts:
        parts += ["--host", ",".join(f"{host}:{what.per_host}" for host in what.hosts)]
    is_five = what.installation.major >= 5
    parts += _openmpi_mapping(what, is_five=is_five)
    if what.agent:
        mca = ["--prtemca", "plm_ssh_agent"] if is_five else ["--mca", "plm_rsh_agent"]
        parts += [*mca, what.agent]
    if what.interface:
        own = ["--prtemca", "prte_if_include"] if is_five else ["--mca", "oob_tcp_if_include"]
        parts += [*own, what.interface, "--mca", "btl_tcp_if_include", what.interface]
    return parts


def _openmpi_mapping(what: Launch, *, is_five: bool) -> list[str]:
    """Places ranks in the order of cores: by default, more than two ranks are distributed over
    sockets."""
    if what.binding == "none":
        return []
    over = "hwthread" if what.placing == "siblings" else "core"
    if what.binding == "core":
        return ["--map-by", over]
    if is_five:
        return ["--map-by", f"{over}:hwtcpus"]
    return ["--map-by", over, "--use-hwthread-cpus"]


def _hydra(what: Launch) -> list[str]:
    parts: list[str] = []
    if what.installation.family == "mpich":
        parts += ["-bind-to", what.binding]
        if what.binding == "hwthread" and what.placing == "threads":
            parts += ["-map-by", "core"]
    if what.hosts:
        parts += ["-hosts", ",".join(what.hosts), "-ppn", str(what.per_host)]
    if what.agent:
        is_intel = what.installation.family == "intel"
        names = ("-bootstrap", "-bootstrap-exec") if is_intel else ("-launcher", "-launcher-exec")
        parts += [names[0], "ssh", names[1], what.agent]
    if what.interface:
        parts += ["-iface", what.interface]
    return parts
