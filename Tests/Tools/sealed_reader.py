"""Reads sealed records; written from docs/sealed-records.md alone.

Standard input is one JSON object: {"keys": [hex, …], "lost": [id, …], "names": "sealed" or "clear",
"base": [[name in the base, record as base64], …]}. Standard output is
{"ids": [id, …], "entries": [[name, value as base64], …], "omitted": [[name or null, reason], …]}, both in byte order.
"""

import base64
import json
import sys

from vault_format import blake2b, derive, padded, u, unseal

MAGIC = bytes.fromhex("89534352")
CLEAR, SEALED = 1, 2


class Unreadable(Exception):
    """Why a record does not open."""


class Key:
    def __init__(self, secret):
        self.id = derive(secret, b"scr1 key id")[:16]
        self.value = derive(secret, b"scr1 value")
        self.name = derive(secret, b"scr1 name")
        self.name_hash = derive(secret, b"scr1 name hash")

    def place(self, name):
        return b"sealed-%s-%s" % (self.id.hex().encode(), blake2b(16, self.name_hash, name).hex().encode())


def content(plain, prefix):
    """What stands in a box, or None where its length is larger than its room."""
    length = u(plain, 0, prefix)
    if len(plain) < prefix or prefix + length > len(plain):
        return None
    # Writers pad so; a reader need not mind, but this one is here to find faults of a writer.
    assert len(plain) == padded(prefix + length) and not any(plain[prefix + length :]), "the padding is wrong"
    return plain[prefix : prefix + length]


def box(key, head, ciphertext, associated, prefix):
    plain = unseal(key, head[:24], associated, ciphertext + head[24:])
    return None if plain is None else content(plain, prefix)


def sealed_name(key, place, record):
    """The name in a record, whatever else is wrong with it."""
    if len(record) < 120 or len(record) < 120 + u(record, 6, 2):
        return None
    name = box(key.name, record[80:120], record[120 : 120 + u(record, 6, 2)], b"scr1 name\0" + place, 2)
    return name if name is not None and key.place(name) == place else None


def sealed_value(keys, lost, kind, place_id, name, record):
    if len(record) < 80 or record[:4] != MAGIC or blake2b(16, b"", record[:24]) != record[24:40] or record[4] == 0:
        raise Unreadable("damaged")
    if record[4] != 1:
        raise Unreadable("formatTooNew")
    key_id = record[8:24]
    if record[5] != kind or (kind == CLEAR and u(record, 6, 2)) or place_id not in (None, key_id):
        raise Unreadable("damaged")
    if key_id not in keys:
        raise Unreadable("keyLost" if key_id.hex() in lost else "wrongKey")
    start = 80 if kind == CLEAR else 120 + u(record, 6, 2)
    if name is None or start > len(record):
        raise Unreadable("damaged")
    value = box(keys[key_id].value, record[40:80], record[start:], record[:24] + name, 4)
    if value is None:
        raise Unreadable("damaged")
    return value


def place_parts(place):
    """The key id in a sealed place, or None."""
    parts = place.split(b"-")
    if len(place) != 72 or len(parts) != 3 or parts[0] != b"sealed" or [len(p) for p in parts[1:]] != [32, 32]:
        return None
    if any(byte not in b"0123456789abcdef" for part in parts[1:] for byte in part):
        return None
    return bytes.fromhex(parts[1].decode())


def read(request):
    ring = [Key(bytes.fromhex(secret)) for secret in request["keys"]]
    keys = {key.id: key for key in ring}
    kind = SEALED if request["names"] == "sealed" else CLEAR
    found, omitted = {}, []
    for place, record in request["base"]:
        place, record = place.encode(), base64.b64decode(record)
        name, place_id, rank = place, None, 0
        try:
            if kind == SEALED:
                name, place_id = None, place_parts(place)
                if place_id is None:
                    raise Unreadable("damaged")
                if place_id not in keys:
                    raise Unreadable("keyLost" if place_id.hex() in request["lost"] else "wrongKey")
                name = sealed_name(keys[place_id], place, record)
                rank = list(keys).index(place_id)
            outcome = sealed_value(keys, request["lost"], kind, place_id, name, record)
        except Unreadable as reason:
            outcome = str(reason)
        if name is None:
            omitted.append((None, outcome))
        elif name not in found or rank < found[name][0]:
            found[name] = (rank, outcome)
    entries = []
    for name in sorted(found):
        outcome = found[name][1]
        if isinstance(outcome, bytes):
            entries.append((name.decode(), base64.b64encode(outcome).decode()))
        else:
            omitted.append((name.decode(), outcome))
    omitted.sort(key=lambda pair: (pair[0] is None, (pair[0] or "").encode(), pair[1]))
    return {"ids": [key.id.hex() for key in ring], "entries": entries, "omitted": omitted}


if __name__ == "__main__":
    print(json.dumps(read(json.load(sys.stdin)), ensure_ascii=True))
