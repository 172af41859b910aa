# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The picture on a terminal, and metrics for Prometheus."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import socket
import struct
import subprocess
import termios
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from top_programs import SHORT_LOOK, TARGET, TOOL, Start, Top

LEAVES = "\x1b[?25h\x1b[?1049l"  # shows the cursor, gives the old screen back


class Terminal:
    """A tool on a terminal of a given size."""

    def __init__(self, *arguments: str, columns: int = 100, rows: int = 24) -> None:
        self.text = ""
        self._num_read = 0  # of it, by the test
        self._decoder = codecs.getincrementaldecoder("utf-8")()  # a read may end within a character
        self.pid, self._file = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm"
            os.environ["LC_ALL"] = "C.UTF-8"
            time.sleep(0.1)  # until the size is set
            os.execv(TOOL, [TOOL, *arguments])
        self.resize(columns, rows)

    def resize(self, columns: int, rows: int) -> None:
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self._file, termios.TIOCSWINSZ, size)

    def read_until(self, words: str, timeout_s: float = 10) -> str:
        """What comes next, up to and with `words`."""
        end_s = time.monotonic() + timeout_s
        begin = self._num_read
        while words not in self.text[begin:]:
            assert time.monotonic() < end_s, f"{words!r} did not come: {self.text[begin:]!r}"
            if select.select([self._file], [], [], 0.1)[0]:
                try:
                    self.text += self._decoder.decode(os.read(self._file, 65536))
                except OSError:  # the tool has ended
                    pytest.fail(f"{words!r} did not come: {self.text[begin:]!r}")
        self._num_read = self.text.index(words, begin) + len(words)
        return self.text[begin : self._num_read]

    def write(self, text: str) -> None:
        os.write(self._file, text.encode())

    def wait(self) -> int:
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self._file)
        return code


def lines_of(frame: str) -> list[str]:
    plain = re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", frame.rsplit("\x1b[H", maxsplit=1)[-1])
    return plain.replace("\r", "").split("\n")


def test_q_leaves_and_gives_the_terminal_back(start: Start) -> None:
    start("busy")
    terminal = Terminal()
    terminal.read_until("hot_fib")

    terminal.write("q")

    rest = terminal.read_until(LEAVES)
    assert terminal.wait() == 0
    assert LEAVES in rest
    assert terminal.text.index("\x1b[?1049h") < terminal.text.index(LEAVES)


def test_ctrl_c_does_so_too(start: Start) -> None:
    start("idle")
    terminal = Terminal()
    terminal.read_until("worker")

    terminal.write("\x03")

    terminal.read_until(LEAVES)
    assert terminal.wait() == 0


def test_the_picture_follows_the_size_of_the_window(start: Start) -> None:
    process = start("busy")
    terminal = Terminal()
    terminal.read_until("hot_fib")

    terminal.resize(40, 8)
    os.kill(terminal.pid, signal.SIGWINCH)
    terminal.read_until("\x1b[J")
    frame = lines_of(terminal.read_until("\x1b[J"))

    terminal.write("q")
    terminal.read_until(LEAVES)
    terminal.wait()
    assert len(frame) <= 8
    assert max(len(line) for line in frame) == 40
    assert process.poll() is None


def test_colours_can_be_left_out(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    start("busy")
    terminal = Terminal()

    frame = terminal.read_until("\x1b[J")

    terminal.write("q")
    terminal.read_until(LEAVES)
    terminal.wait()
    assert not re.search(r"\x1b\[[0-9;]*m", frame)


def test_a_program_that_dies_is_left_with_its_last_picture(start: Start) -> None:
    process = start("busy")
    terminal = Terminal()
    terminal.read_until("hot_fib")

    process.kill()
    process.wait()

    rest = terminal.read_until(LEAVES) + terminal.read_until("hot_fib")
    assert terminal.wait() == 0
    assert "killed" in rest


def test_output_of_a_watched_program_comes_behind_the_picture(folder: Path) -> None:
    terminal = Terminal("--", TARGET, "pools")

    terminal.read_until(LEAVES)
    terminal.read_until("ready")

    assert terminal.wait() == 0
    assert list(folder.iterdir()) == []


def values_of(text: str) -> dict[str, float]:
    """Samples of the total by name, read by a parser that takes nothing else than OpenMetrics."""
    return {
        sample.name: sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if "worker" not in sample.labels and "le" not in sample.labels
    }


def test_metrics_are_written_as_a_whole(start: Start, top: Top, tmp_path: Path) -> None:
    start("busy")
    path = tmp_path / "weft.prom"

    done = top(*SHORT_LOOK, "--openmetrics", str(path))

    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert list(tmp_path.glob("weft.prom*")) == [path]
    assert values_of(path.read_text(encoding="utf-8"))["weft_threads_count_cumulative_total"] > 0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_metrics_are_served_on_this_machine_only(start: Start) -> None:
    process = start("busy")
    port = free_port()
    with subprocess.Popen([TOOL, "--serve", str(port)], stdout=subprocess.PIPE, text=True) as tool:
        assert tool.stdout is not None
        assert tool.stdout.readline() == f"serving http://127.0.0.1:{port}/metrics\n"

        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as reply:
            content_type = reply.headers["Content-Type"]
            first = values_of(reply.read().decode())
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as reply:
            second = values_of(reply.read().decode())
        with pytest.raises(urllib.error.HTTPError, match="404") as refused:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/")
        refused.value.close()
        listening = Path("/proc/net/tcp").read_text(encoding="ascii")
        process.kill()
        process.wait()
        code = tool.wait(10)

    assert code == 0
    assert content_type.startswith("application/openmetrics-text; version=1.0.0")
    name = "weft_threads_count_cumulative_total"
    assert 0 < first[name] < second[name]
    assert f"0100007F:{port:04X} 00000000:0000 0A" in listening
    assert f"00000000:{port:04X} 00000000:0000 0A" not in listening


@pytest.fixture
def served(start: Start) -> Iterator[int]:
    """The port at which an idle program's metrics are served."""
    start("idle")
    port = free_port()
    with subprocess.Popen([TOOL, "--serve", str(port)], stdout=subprocess.PIPE, text=True) as tool:
        assert tool.stdout is not None
        tool.stdout.readline()
        yield port
        tool.kill()


def test_slow_clients_delay_no_other_client(served: int) -> None:
    with ExitStack() as clients:
        slow = [
            clients.enter_context(socket.create_connection(("127.0.0.1", served))) for _ in range(4)
        ]
        for client in slow:
            client.sendall(b"G")
            client.setblocking(False)

        with urllib.request.urlopen(f"http://127.0.0.1:{served}/metrics") as reply:
            assert reply.status == 200

        for client in slow:
            with pytest.raises(BlockingIOError):  # neither an answer nor the end: it may go on
                client.recv(1)


def test_a_client_that_sends_a_byte_now_and_then_is_hung_up_on(served: int) -> None:
    with socket.create_connection(("127.0.0.1", served)) as slow:
        slow.settimeout(0.1)
        is_open = True
        for _ in range(100):
            try:
                slow.sendall(b"G")
                is_open = slow.recv(1) != b""
            except TimeoutError:
                continue  # it may go on
            except ConnectionError:
                is_open = False
            if not is_open:
                break

    assert not is_open


def test_a_port_that_is_taken(start: Start, top: Top) -> None:
    start("idle")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = top("--serve", str(taken.getsockname()[1]))

    assert done.returncode == 1
    assert "give --serve another port" in done.stderr
