# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other measurements of weft on this machine at the same time, which disturb each other.

Each measurement listens on an abstract socket. The kernel removes it with its process, no file can
be planted in its place, and the kernel reports the process and user at the other end.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shlex
import socket
import struct
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from weft_lab.storage.folder_files import UNPRINTABLE
from weft_lab.storage.store import Record

KEY = "disturbed_by"
PREFIX = "weft-measuring-"
NEIGHBOURS_MAX = 16
TEXT_MAX = 200
CREDENTIALS = struct.Struct("iII")  # ucred of unix(7): process, user, group


class Neighbours:
    """While entered, other processes see that this process measures.

    Calls `say` once for each other measurement. On a system without abstract sockets, none is seen.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._met: dict[int, Record] = {}
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)

    def __enter__(self) -> Neighbours:
        with contextlib.suppress(OSError):
            self._listener.bind(f"\0{PREFIX}{secrets.token_hex(8)}")
            self._listener.listen(NEIGHBOURS_MAX)
            for name in _names():
                self._call(name)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._listener.close()

    def met(self) -> list[Record]:
        """Returns the measurements that ran meanwhile: `pid`, `uid` and `what`, the command and its
        start."""
        with contextlib.suppress(OSError):
            for _ in range(NEIGHBOURS_MAX):
                stream, _address = self._listener.accept()
                with stream:
                    stream.setblocking(False)
                    with contextlib.suppress(BlockingIOError):
                        text = stream.recv(TEXT_MAX).decode(errors="replace")
                        self._keep(stream, text, "measured on this machine meanwhile")
        return list(self._met.values())

    def _call(self, name: str) -> None:
        kind = socket.SOCK_STREAM | socket.SOCK_NONBLOCK
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, kind) as stream:
            stream.connect(f"\0{name}")
            stream.send(_described(os.getpid()).encode()[:TEXT_MAX])
            self._keep(stream, _described(_peer(stream)[0]), "measures on this machine, too")

    def _keep(self, stream: socket.socket, text: str, does: str) -> None:
        pid, uid = _peer(stream)
        if pid == os.getpid() or pid in self._met:
            return
        what = " ".join(UNPRINTABLE.sub("\ufffd", text).split())[:TEXT_MAX]
        self._met[pid] = {"pid": pid, "uid": uid, "what": what}
        self._say(f"process {pid} of user {uid} {does}, so times are disturbed: {what}")


def disturbances(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns a sentence for each measurement that ran beside that of a manifest."""
    return tuple(
        f"Another weft measured at the same time, which disturbed the times: {row['what']}."
        for row in manifest.get(KEY) or ()
    )


def _names() -> Iterator[str]:
    """Names of listening sockets, without the zero byte, which the kernel shows as @."""
    lines = Path("/proc/net/unix").read_text(encoding="utf-8", errors="replace").splitlines()
    names = (line.rpartition(" @")[2] for line in lines if f" @{PREFIX}" in line)
    return iter(list(dict.fromkeys(names))[:NEIGHBOURS_MAX])


def _peer(stream: socket.socket) -> tuple[int, int]:
    """Process and user at the other end, as the kernel reports them."""
    found = stream.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
    pid, uid, _gid = CREDENTIALS.unpack(found)
    return pid, uid


def _described(pid: int) -> str:
    """`./weft run --quick, since 2026-11-24 06:40 UTC`."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_text("utf-8", "replace").split("\0")[:-1]
        text = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
        start_ticks = int(text.rpartition(")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return "a command that cannot be read"
    if "weft_lab" in words:
        words = ["./weft", *words[words.index("weft_lab") + 1 :]]
    age_s = time.clock_gettime(time.CLOCK_BOOTTIME) - start_ticks / os.sysconf("SC_CLK_TCK")
    since = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(time.time() - age_s))
    return f"{shlex.join(words)[: TEXT_MAX - 40]}, since {since}"
