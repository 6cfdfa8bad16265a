"""Measures what Python programs keep secrets with: `python_peers.py "python keyring"|"python SecretStorage" SECONDS`.

One line for each operation: its name, and p50 and p99 in nanoseconds.
"""

import secrets
import statistics
import sys
import time

ENTRY = "service/account-000005"


def keyring_calls():
    import keyring
    from keyring.backends import SecretService

    keyring.set_keyring(SecretService.Keyring())
    keyring.set_password("service", ENTRY, "first")
    return (
        lambda value: keyring.set_password("service", ENTRY, value),
        lambda: keyring.get_password("service", ENTRY),
    )


def secretstorage_calls():
    import secretstorage

    connection = secretstorage.dbus_init()
    collection = secretstorage.get_default_collection(connection)
    attributes = {"service": "service", "account": ENTRY}

    def get():
        return next(collection.search_items(attributes)).get_secret().decode()

    return lambda value: collection.create_item(ENTRY, attributes, value.encode(), replace=True), get


def measure(name, work, seconds):
    times = []
    end = time.perf_counter() + seconds
    while len(times) < 5 or time.perf_counter() < end:
        argument = secrets.token_hex(32)
        start = time.perf_counter_ns()
        work(argument)
        times.append(time.perf_counter_ns() - start)
    times.sort()
    print(name, statistics.median(times), times[round(0.99 * (len(times) - 1))], sep="\t", flush=True)


def main():
    calls = {"python keyring": keyring_calls, "python SecretStorage": secretstorage_calls}[sys.argv[1]]
    store, lookup = calls()
    seconds = float(sys.argv[2])
    measure("set, present", store, seconds)

    def read(_):
        assert len(lookup()) == 64

    measure("get", read, seconds)


main()
