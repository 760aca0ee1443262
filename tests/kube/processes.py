"""Processes that a test starts and that never outlive it.

Each has a process group of its own and dies with the thread that started it (PR_SET_PDEATHSIG), so start them from the
main thread. Ports are picked by the kernel and kept: see Port.
"""

import ctypes
import os
import pathlib
import signal
import socket
import subprocess
import threading
import time

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def _die_with_parent():
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


class Port:
    """A loopback port that nobody else gets while this object lives.

    The socket here is bound and never listens; the server that is to have the port binds it as well (SO_REUSEPORT). So
    a server that is killed comes back at its old address, and while it is away connections are refused.
    """

    def __init__(self):
        self._held = socket.socket()
        self._held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        self._held.bind(("127.0.0.1", 0))
        self.number = self._held.getsockname()[1]

    def close(self):
        self._held.close()


class Process:
    """One program with its output in a file. `environment` is added to this process's own."""

    def __init__(self, name, command, log, environment=None):
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("processes die with the thread that starts them; start them from the main thread")
        self.name = name
        self.command = [str(word) for word in command]
        self.log = pathlib.Path(log)
        with open(self.log, "ab") as output:
            self._child = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True,
                env={**os.environ, **(environment or {})}, preexec_fn=_die_with_parent)
        self.pid = self._child.pid

    def is_running(self):
        return self._child.poll() is None

    @property
    def exit_code(self):
        """None while it runs; minus the signal that killed it."""
        return self._child.poll()

    def signal(self, number):
        if self.is_running():
            os.kill(self.pid, number)

    def wait(self, timeout):
        """The exit code, or None if it still runs after `timeout` seconds."""
        try:
            return self._child.wait(timeout)
        except subprocess.TimeoutExpired:
            return None

    def kill(self):
        """As kill -9 does, with whatever it started."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._child.wait()

    def stop(self, grace=10):
        """SIGTERM, and SIGKILL if that did not do. Returns the exit code."""
        self.signal(signal.SIGTERM)
        if self.wait(grace) is None:
            self.kill()
        else:
            self.kill()  # what it may have left in its group
        return self._child.returncode

    def memory(self):
        """Resident bytes."""
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        return 0

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def tail(self, lines=40):
        """The end of its output, for a message about what went wrong."""
        text = self.log.read_text(errors="replace").splitlines()
        return "\n".join(text[-lines:])


def wait_until(condition, timeout, what, pause=0.05):
    """Calls `condition` until it returns something true, which is returned. Past `timeout` seconds: TimeoutError."""
    deadline = time.monotonic() + timeout
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() >= deadline:
            raise TimeoutError(f"after {timeout} s still not: {what() if callable(what) else what}")
        time.sleep(pause)
