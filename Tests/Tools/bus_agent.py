#!/usr/bin/python3 -B
"""Holds a private bus and what lives on it, for one test process.

    bus_agent.py DIRECTORY

Reads one JSON object a line from standard input and answers each with one: {"ok": …}, or {"error": {"name", "text"}}.
When standard input ends, or when the parent is gone, everything that was started here ends too.
"""

import base64
import hashlib
import json
import os
import select
import signal
import sys
import time

import dbus
import dbus.bus
import dbus.mainloop.glib

import bus_processes
from secret_client import NAME, SecretClient, plain

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)


class Agent:
    """The commands, each a method of its name."""

    def __init__(self, directory):
        self.directory = directory
        self.processes = bus_processes.Processes()
        self.connections = {}
        self.environment = {}
        self.daemon = None

    # The bus itself.

    def bus(self, configuration, environment):
        """Starts the bus and waits until it takes connections."""
        path = os.path.join(self.directory, "bus.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(configuration)
        read, write = os.pipe()
        self.environment = environment
        self.daemon = self.processes.start(
            ["dbus-daemon", "--config-file=" + path, "--nofork", "--nopidfile", f"--print-address={write}"],
            environment, os.path.join(self.directory, "bus.log"), pass_fds=(write,))
        os.close(write)
        ready, _, _ = select.select([read], [], [], 20)
        address = os.read(read, 4096).decode().strip() if ready else ""
        os.close(read)
        if not address:
            raise TimeoutError("the bus did not start")
        self.connections = {}
        return {"pid": self.daemon, "address": environment["DBUS_SESSION_BUS_ADDRESS"]}

    def daemon_pid(self):
        return self.daemon

    def connection(self):
        address = self.environment["DBUS_SESSION_BUS_ADDRESS"]
        known = self.connections.get(address)
        if known is None or not known.get_is_connected():
            known = dbus.bus.BusConnection(address)
            known.set_exit_on_disconnect(False)
            self.connections[address] = known
        return known

    def client(self):
        return SecretClient(self.connection())

    # Processes.

    def start(self, command, log, environment=None, text=None):
        return self.processes.start(
            command, {**self.environment, **(environment or {})}, os.path.join(self.directory, log), text)

    def status(self, pid):
        return self.processes.status(pid)

    def wait(self, pid, seconds):
        return self.processes.wait(pid, seconds)

    def signal(self, pid, number):
        os.kill(pid, number)

    def kill(self, pid, seconds=20):
        """Ends one process for good; what it leaves on the bus is gone when this returns."""
        os.kill(pid, signal.SIGKILL)
        os.kill(pid, signal.SIGCONT)
        return self.processes.wait(pid, seconds)

    # Waiting for the bus.

    def until(self, seconds, what, question):
        """Asks again and again, quickly, until the answer is true."""
        until = time.monotonic() + seconds
        while True:
            try:
                answer = question()
            except dbus.DBusException:
                answer = None
            if answer:
                return answer
            if time.monotonic() > until:
                raise TimeoutError(what)
            time.sleep(0.005)

    def await_name(self, seconds, name=NAME, present=True):
        bus = self.connection()
        self.until(seconds, "the name", lambda: bus.name_has_owner(name) == present)

    def await_owner(self, seconds, pid, name=NAME):
        """Waits until a process of this number, or below it, owns the name."""
        bus = self.connection()

        def owns():
            owner = bus.get_name_owner(name)
            return pid == int(bus.call_blocking(
                "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                "GetConnectionUnixProcessID", "s", (owner,)))
        self.until(seconds, "the owner of the name", owns)

    def await_default(self, seconds, locked):
        """Waits until there is a default collection in the given state; answers its path."""
        client = self.client()

        def ready():
            path = client.default()
            return path if path != "/" and client.is_locked(path) == locked else None
        return self.until(seconds, "the default collection", ready)

    # What another client does.

    def call(self, name, path, interface, method, signature="", values=(), seconds=10):
        return plain(self.client().call(
            path, interface, method, signature, *values, seconds=seconds, name=name))

    def create(self, attributes, value, **options):
        return self.client().create(attributes, base64.b64decode(value), **options)

    def create_collection(self, label, password):
        return self.client().create_collection(label, password.encode())

    def unlock_with_password(self, path, password):
        self.client().unlock_with_password(path, password.encode())

    def open_wallet(self, wallet, salt, password, iterations=50000):
        """KWallet only: makes or opens a wallet as the login module would."""
        with open(salt, "rb") as file:
            key = hashlib.pbkdf2_hmac("sha512", password.encode(), file.read(), iterations, 56)
        wallets = "org.kde.kwalletd5", "/modules/kwalletd5", "org.kde.KWallet"
        self.connection().call_blocking(
            *wallets, "pamOpen", "sayi", (wallet, dbus.ByteArray(key), 0), timeout=20)
        return bool(self.connection().call_blocking(*wallets, "isOpen", "s", (wallet,), timeout=20))


def forward(name):
    def method(self, **arguments):
        return plain(getattr(self.client(), name)(**arguments))
    return method


for name in ("items", "delete", "delete_all", "default", "collections", "is_locked", "lock", "unlock",
             "set_alias", "delete_collection"):
    setattr(Agent, name, forward(name))


def answer(agent, line):
    try:
        request = json.loads(line)
        return {"ok": getattr(agent, request.pop("do"))(**request)}
    except dbus.DBusException as error:
        return {"error": {"name": error.get_dbus_name() or "", "text": error.get_dbus_message() or ""}}
    except Exception as error:  # whatever it is, the test has to see it
        return {"error": {"name": type(error).__name__, "text": str(error)}}


def main():
    # What blocks signals in the parent's threads must not reach the providers: they end by them.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    bus_processes.adopt_orphans()
    agent = Agent(sys.argv[1])
    parent = os.getppid()
    rest = b""
    try:
        while os.getppid() == parent:
            readable, _, _ = select.select([0], [], [], 1)
            if not readable:
                continue
            data = os.read(0, 1 << 16)
            if not data:
                break
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                sys.stdout.write(json.dumps(answer(agent, line)) + "\n")
                sys.stdout.flush()
    finally:
        agent.processes.end_all()


main()
