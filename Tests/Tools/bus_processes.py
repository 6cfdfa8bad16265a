"""Processes that end with the one that started them, whatever happens to it."""

import ctypes
import os
import signal
import subprocess
import time

PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans():
    """Makes this process the parent of whatever its descendants leave behind, so that all of them can be ended."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children():
    """The processes whose parent is this one."""
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


class Processes:
    """What was started here, and how it ended."""

    def __init__(self):
        self.ended = {}
        self.logs = {}

    def start(self, command, environment, log, text=None, pass_fds=()):
        """Starts a command in a session of its own and answers its number."""
        read, write = os.pipe()
        with open(log, "ab") as output:
            process = subprocess.Popen(
                command, env=environment, stdin=read, stdout=output, stderr=output, cwd="/",
                start_new_session=True, pass_fds=pass_fds, close_fds=True)
        os.close(read)
        if text:
            os.write(write, text.encode())
        os.close(write)
        # This module waits for the process itself.
        process.returncode = 0
        self.logs[process.pid] = log
        return process.pid

    def reap(self):
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            self.ended[pid] = os.waitstatus_to_exitcode(status)

    def status(self, pid):
        """How a process ended, or None while it runs."""
        self.reap()
        return self.ended.get(pid)

    def wait(self, pid, seconds):
        until = time.monotonic() + seconds
        while self.status(pid) is None and time.monotonic() < until:
            time.sleep(0.005)
        return self.status(pid)

    def end_all(self):
        """Ends everything below this process, until nothing is left."""
        for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGKILL, signal.SIGKILL):
            until = time.monotonic() + 0.5
            while time.monotonic() < until:
                present = children()
                if not present:
                    return
                for pid in present:
                    try:
                        # A stopped process ends only after it was told to go on.
                        os.kill(pid, number)
                        os.kill(pid, signal.SIGCONT)
                    except ProcessLookupError:
                        pass
                time.sleep(0.01)
                self.reap()
