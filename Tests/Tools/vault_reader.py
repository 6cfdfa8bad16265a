#!/usr/bin/python3 -B
"""Reads and writes vaults of format 1 without the library: a second implementation, made from FORMAT.md alone.

    vault_reader.py VAULT... --key-file FILE | --passphrase-file FILE | --passphrase-text FILE | --credential FILE
            | --entry FILE | --kernel-key FILE [--machine-id FILE]
        prints one JSON object a line: entries (values in base64), names of damaged entries, losses; a passphrase file
        holds bytes, a passphrase text is text, and the last two hold what the other store or the kernel would give
    vault_reader.py VAULT (one of the same) --write
        makes a vault from standard input: a JSON array of commits, each an array of [name, base64 or null];
        [null, null] is an index frame
    vault_reader.py VAULT --lock-held NAME
        says whether somebody holds the named lock

Exit: 0 read and nothing wrong; 2 usage; 5 no key; 7 not a vault, damaged, newer; 8 wrong key; 12 read, with damage.
"""

import argparse
import base64
import fcntl
import json
import os
import struct
import sys
import unicodedata

import vault_format as form
from vault_log import Log

SOURCES = {
    "key_file": form.KEY_FILE,
    "passphrase_file": form.PASSPHRASE,
    "passphrase_text": form.PASSPHRASE,
    "entry": form.ENTRY,
    "credential": form.CREDENTIAL,
    "kernel_key": form.KERNEL_KEYRING,
}


def machine_id(path):
    try:
        with open(path, "rb") as file:
            line = file.read(128).split(b"\n")[0]
    except OSError:
        return None
    is_id = len(line) == 32 and all(byte in b"0123456789abcdef" for byte in line) and line.strip(b"0")
    return line if is_id else None


def published_tail(path, header, keys):
    """The tail in the companion's record, or 0 where there is no record of this very log."""
    try:
        with open(path + ".lock", "rb") as file:
            record = file.read(128)
    except OSError:
        return 0
    if len(record) < 128 or form.siphash(keys.record, record[:112]) != record[112:]:
        return 0
    is_own = record[32:48] == header.log_id and record[48:64] == header.file_id
    return form.u(record, 8, 8) if is_own and form.u(record, 8, 8) <= 1 << 40 else 0


def text(name):
    return None if name is None else name.decode()


def read(path, kind, secrets, machine):
    with open(path, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        content = file.read()
    header, keys, copies = form.unlock(content, kind, secrets, machine)
    published = published_tail(path, header, keys)
    log = Log(content, header, keys, published)
    entries, omitted = log.read()
    return {
        "entries": [
            {"name": text(name), "value": base64.b64encode(entries[name]).decode()} for name in sorted(entries)
        ],
        "omitted": sorted((text(name) for name in omitted), key=lambda name: (name is None, (name or "").encode())),
        "lost": log.lost,
        "frames": log.frames,
        "tail": log.offset,
        "published": published,
        "torn": log.torn,
        "copiesDiffer": log.chain_breaks,
        "headerCopies": copies,
    }


def make_header(kind, secret, passes, kibibytes):
    """The bytes of one copy, and the keys."""
    master, data_key = os.urandom(32), os.urandom(32)
    file_id, log_id, number = os.urandom(16), os.urandom(16), struct.pack("<I", 1)
    is_passphrase = kind == form.PASSPHRASE
    label = b"\x02\x05other"
    slot = form.Slot(
        struct.pack("<HBBI", 138 + len(label), kind, 0, 1)
        + (struct.pack("<II", passes, kibibytes) if is_passphrase else bytes(8))
        + os.urandom(16) + bytes(104) + struct.pack("<H", len(label)) + label
    )
    ikm = slot.ikm(secret, None)
    check = form.derive(ikm, b"scv1 slot check", file_id + slot.derivation_context)
    wrap = form.derive(ikm, b"scv1 slot wrap", file_id + slot.derivation_context)
    nonce = os.urandom(24)
    slot = form.Slot(slot.data[:32] + check + nonce + slot.data[88:])
    sealed = form.seal(wrap, nonce, file_id + slot.wrapping_context, master)
    slot = slot.data[:88] + sealed + slot.data[136:]

    start = form.MAGIC + struct.pack("<HHI", 1, 0, 160 + len(slot) + 64) + file_id
    nonce = os.urandom(24)
    sealed = form.seal(form.derive(master, b"scv1 data wrap"), nonce, start + number, data_key)
    header = start + log_id + struct.pack("<QI", 0, 1) + number + struct.pack("<QQ", form.LOG_START, 0)
    header += nonce + sealed + struct.pack("<H2xI", 1, 1) + slot
    header += form.blake2b(32, form.derive(master, b"scv1 header"), header)
    header += form.blake2b(32, b"", header)
    return header, form.Keys(data_key, file_id, number), log_id


def make_log(commits, keys, log_id):
    log, sequence, previous = b"", 1, log_id[:8]
    for commit in commits:
        for position, (name, value) in enumerate(commit):
            kind, nonce, tag, body = form.DELETE, b"\xff" * 24, b"\xff" * 16, b""
            if name is None:
                kind, body, name_hash = form.INDEX, b"\x01" * 64, b"\xff" * 16
            else:
                name_hash = keys.name_hash(name.encode())
            if value is not None:
                kind = form.VALUE
                nonce, tag, body = keys.make_box(os.urandom(24), name.encode(), base64.b64decode(value))
            head = b"SCF1" + bytes([kind]) + b"\xff" * 3
            head += struct.pack("<IIIIQ", len(body), position, len(commit), 1, sequence)
            head += previous + name_hash + nonce + tag
            mac = keys.frame_mac(head, log_id, form.LOG_START + len(log))
            log += head + mac + body + name_hash
            sequence, previous = sequence + 1, mac[:8]
    return log


def write(path, kind, secret, commits, passes, kibibytes):
    header, keys, log_id = make_header(kind, secret, passes, kibibytes)
    copy = header + bytes(form.HEADER_ROOM - len(header))
    content = copy + copy + make_log(commits, keys, log_id)
    size = max(65536, (len(content) + form.BLOCK + 511) // 512 * 512)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "wb") as file:
        file.write(content + bytes(size - len(content)))
        file.flush()
        os.fsync(descriptor)


def is_lock_held(path, name):
    place = form.u(form.blake2b(16, b"", b"scv1 named lock\0" + name.encode()), 0, 5)
    wanted = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, (1 << 40) + place, 1, 0)
    with open(path + ".lock", "r+b") as file:
        found = fcntl.fcntl(file, fcntl.F_OFD_GETLK, wanted)
    return struct.unpack("hhqqi4x", found)[0] != fcntl.F_UNLCK


def secrets_of(options):
    """The kind of the slots to try, and the forms of the secret, in their order."""
    kind, path = next((kind, getattr(options, name)) for name, kind in SOURCES.items() if getattr(options, name))
    try:
        with open(path, "rb") as file:
            secret = file.read()
    except OSError:
        raise form.Refused(5, "keySourceMissing") from None
    if options.passphrase_text:
        typed = secret.removesuffix(b"\n")
        composed = unicodedata.normalize("NFC", typed.decode()).encode()
        return kind, [composed] if composed == typed else [composed, typed]
    if kind == form.PASSPHRASE:
        return kind, [secret.removesuffix(b"\n")]
    if kind == form.CREDENTIAL:
        if not 32 <= len(secret) <= 1 << 20:
            raise form.Refused(5, "keySourceUnavailable")
        return kind, [form.blake2b(32, b"", b"scv1 credential\0" + secret)]
    if len(secret) != 32:
        raise form.Refused(5, "keySourceUnavailable")
    return kind, [secret]


def main():
    parser = argparse.ArgumentParser(description="A reader and writer of vaults that shares no code with the library.")
    parser.add_argument("vault", nargs="+")
    source = parser.add_mutually_exclusive_group(required=True)
    for name in SOURCES:
        source.add_argument("--" + name.replace("_", "-"))
    source.add_argument("--lock-held", metavar="NAME")
    parser.add_argument("--machine-id", default="/etc/machine-id")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--kibibytes", type=int, default=19456)
    options = parser.parse_args()
    if options.lock_held is not None:
        print(json.dumps(is_lock_held(options.vault[0], options.lock_held)))
        return 0
    worst = 0
    for path in options.vault:
        try:
            kind, secrets = secrets_of(options)
            if options.write:
                write(path, kind, secrets[0], json.load(sys.stdin), options.passes, options.kibibytes)
                continue
            answer = read(path, kind, secrets, machine_id(options.machine_id))
            code = 12 if answer["omitted"] or answer["lost"] else 0
        except form.Refused as refusal:
            answer, code = {"error": refusal.reason}, refusal.code
        print(json.dumps(answer))
        worst = max(worst, code)
    return worst


if __name__ == "__main__":
    sys.exit(main())
