"""The name of an entry whose box does not open; written from FORMAT.md alone."""

from vault_format import is_name, peek, u

LONGEST_NAME = 1024
# Longer names are not searched for under changes of a byte.
LONGEST_SEARCHED = 256
# How hard to look for a name.
AS_IS, CHANGED_NAME, CHANGED_NONCE = range(3)


def recover(keys, nonce, sealed, name_hash, effort):
    """The name under a box that does not open, or None."""

    def name(plain, length):
        found = bytes(plain[6 : 6 + length])
        is_possible = 1 <= length <= LONGEST_NAME and len(found) == length
        return found if is_possible and keys.name_hash(found) == name_hash and is_name(found) else None

    plain = bytearray(peek(keys.value, nonce, sealed))
    stated = u(plain, 0, 2)
    found = name(plain, stated)
    if found or effort == AS_IS:
        return found
    for length in range(1, min(LONGEST_NAME, len(plain) - 6) + 1):
        if found := name(plain, length):
            return found
    if 1 <= stated <= LONGEST_SEARCHED:
        for place in range(6, min(6 + stated, len(plain))):
            kept = plain[place]
            for plain[place] in range(256):
                if found := name(plain, stated):
                    return found
            plain[place] = kept
    for place in range(24) if effort == CHANGED_NONCE else ():
        for byte in range(256):
            changed = nonce[:place] + bytes([byte]) + nonce[place + 1 :]
            length = u(peek(keys.value, changed, sealed[:2]), 0, 2)
            if not 1 <= length <= min(LONGEST_NAME, len(sealed) - 6):
                continue
            if found := name(peek(keys.value, changed, sealed), length):
                return found
    return None
