"""Keys, header, slots, frames and boxes of format 1, written from FORMAT.md alone."""

import hashlib
import hmac
import struct

from nacl import bindings
from nacl._sodium import ffi, lib
from nacl.exceptions import CryptoError

HEADER_ROOM = 8192
LOG_START = 16384
HEAD = 112
ECHO = 16
SMALLEST_FRAME = HEAD + ECHO
BLOCK = 16
LARGEST_BODY = (1 << 24) + (1 << 21)
LARGEST_COMMIT = 64 << 20
MAGIC = bytes.fromhex("895343560d0a1a0a")
PASSPHRASE, KEY_FILE, ENTRY, CREDENTIAL, KERNEL_KEYRING = 1, 2, 3, 4, 5
MOST_WORK = 4 << 20
VALUE, DELETE, INDEX = 1, 2, 3


class Refused(Exception):
    """The vault cannot be opened; holds the exit code and the reason."""

    def __init__(self, code, reason):
        super().__init__(reason)
        self.code = code
        self.reason = reason


def u(data, offset, size):
    return int.from_bytes(data[offset : offset + size], "little")


def blake2b(size, key, data):
    return hashlib.blake2b(data, digest_size=size, key=key).digest()


def derive(key, context, data=b""):
    return blake2b(32, key, context + b"\0" + data)


def siphash(key, data):
    return bindings.crypto_shorthash_siphashx24(data, key)


def seal(key, nonce, associated, plain):
    return bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(plain, associated, nonce, key)


def unseal(key, nonce, associated, sealed):
    try:
        return bindings.crypto_aead_xchacha20poly1305_ietf_decrypt(sealed, associated, nonce, key)
    except CryptoError:
        return None


def peek(key, nonce, sealed):
    """The plaintext without proof: a box of zeros shows the stream."""
    size = len(sealed)
    box = ffi.new("unsigned char[]", size + 16)
    # Called tens of thousands of times, so not by way of the checks of nacl.bindings.
    lib.crypto_aead_xchacha20poly1305_ietf_encrypt(
        box, ffi.NULL, bytes(size), size, ffi.NULL, 0, ffi.NULL, nonce, key
    )
    return (u(ffi.buffer(box, size), 0, size) ^ u(sealed, 0, size)).to_bytes(size, "little")


def argon2(passphrase, salt, passes, kibibytes):
    return bindings.crypto_pwhash_alg(
        32, passphrase, salt, passes, kibibytes * 1024, bindings.crypto_pwhash_ALG_ARGON2ID13
    )


def is_name(name):
    """Whether an entry can be called so."""
    try:
        name.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in name


def padded(used):
    if used <= 512:
        return max(32, (used + 31) // 32 * 32)
    exponent = used.bit_length() - 1
    unit = 1 << (exponent - exponent.bit_length())
    return (used + unit - 1) // unit * unit


class Slot:
    def __init__(self, data):
        self.data = data
        self.kind, self.flags = data[2], data[3]
        self.passes, self.kibibytes = u(data, 8, 4), u(data, 12, 4)
        self.salt, self.check = data[16:32], data[32:64]
        self.nonce, self.sealed = data[64:88], data[88:136]
        self.parameters = data[138:]

    @property
    def derivation_context(self):
        return self.data[2:32] + self.parameters

    @property
    def wrapping_context(self):
        return self.data[2:64] + self.parameters

    def parameter(self, tag):
        rest = self.parameters
        while len(rest) >= 2 and len(rest) >= 2 + rest[1]:
            if rest[0] == tag:
                return rest[2 : 2 + rest[1]]
            rest = rest[2 + rest[1] :]
        return None

    def check_limits(self):
        passes, kibibytes = self.passes, self.kibibytes
        if not (2 <= passes <= 10 and 19456 <= kibibytes <= 1 << 20 and passes * kibibytes <= MOST_WORK):
            raise Refused(7, "parametersOutOfRange")

    def ikm(self, secret, machine):
        ikm = argon2(secret, self.salt, self.passes, self.kibibytes) if self.kind == PASSPHRASE else secret
        return derive(ikm, b"scv1 machine", machine) if self.flags & 1 else ikm


class Header:
    """One sound copy."""

    def __init__(self, data, slots):
        self.data = data
        self.slots = slots
        self.file_id, self.log_id = data[16:32], data[32:48]
        self.base_sequence = u(data, 48, 8)
        self.sequence = u(data, 56, 4)
        self.key_number = data[60:64]

    @staticmethod
    def read(room):
        """A sound copy, or the reason why it is none: "foreign", "newer" or "damaged"."""
        if not room or not MAGIC.startswith(room[:8]):
            return "foreign"
        if len(room) < HEADER_ROOM:
            return "damaged"
        length = u(room, 12, 4)
        if not 224 <= length <= HEADER_ROOM:
            return "damaged"
        data = room[:length]
        if blake2b(32, b"", data[:-32]) != data[-32:]:
            return "damaged"
        version = u(data, 8, 2)
        if version != 1:
            return "newer" if version > 1 else "damaged"
        count, place, limit, slots = u(data, 152, 2), 160, length - 64, []
        if not 1 <= count <= 8 or u(data, 64, 8) != LOG_START:
            return "damaged"
        for _ in range(count):
            if place + 138 > limit:
                return "damaged"
            size = u(data, place, 2)
            if size != 138 + u(data, place + 136, 2) or place + size > limit:
                return "damaged"
            slots.append(Slot(data[place : place + size]))
            place += size
        return Header(data, slots) if place == limit else "damaged"

    def master_key(self, kind, secret, machine):
        is_elsewhere = False
        for slot in self.slots:
            if slot.kind != kind:
                continue
            if slot.flags & 1:
                tag = machine and blake2b(16, slot.salt, b"scv1 machine tag\0" + machine)
                if not machine or slot.parameter(1) != tag:
                    is_elsewhere = True
                    continue
            ikm = slot.ikm(secret, machine)
            check = derive(ikm, b"scv1 slot check", self.file_id + slot.derivation_context)
            if not hmac.compare_digest(check, slot.check):
                continue
            wrap = derive(ikm, b"scv1 slot wrap", self.file_id + slot.derivation_context)
            master = unseal(wrap, slot.nonce, self.file_id + slot.wrapping_context, slot.sealed)
            if master is None:
                raise Refused(7, "damaged")
            return master
        if is_elsewhere:
            raise Refused(5, "keySourceUnavailable")
        return None

    def opens_with(self, master):
        mac = blake2b(32, derive(master, b"scv1 header"), self.data[:-64])
        return hmac.compare_digest(mac, self.data[-64:-32])

    def keys(self, master):
        associated = self.data[:32] + self.key_number
        data_key = unseal(derive(master, b"scv1 data wrap"), self.data[80:104], associated, self.data[104:152])
        if data_key is None:
            raise Refused(7, "damaged")
        return Keys(data_key, self.file_id, self.key_number)


def affordable(copies, kind):
    """The copies that ask for no more work than is allowed; refused when there is none."""
    result, refusal = [], None
    for copy in copies:
        slots = [slot for slot in copy.slots if slot.kind == kind == PASSPHRASE]
        try:
            for slot in slots:
                slot.check_limits()
            if sum(slot.passes * slot.kibibytes for slot in slots) > 2 * MOST_WORK:
                raise Refused(7, "parametersOutOfRange")
            result.append(copy)
        except Refused as problem:
            refusal = refusal or problem
    if not result:
        raise refusal
    return result


def unlock(content, kind, secrets, machine):
    """Header, keys, and which of the two copies are sound."""
    copies = [Header.read(content[start : start + HEADER_ROOM]) for start in (0, HEADER_ROOM)]
    if "newer" in copies:
        raise Refused(7, "unsupportedVersion")
    sound = [copy for copy in copies if isinstance(copy, Header)]
    if not sound:
        raise Refused(7, "notAStore" if copies == ["foreign", "foreign"] else "damaged")
    sound.sort(key=lambda copy: -copy.sequence)
    refusal = None
    copies_to_try = affordable(sound, kind)
    for secret, copy in ((secret, copy) for secret in secrets for copy in copies_to_try):
        try:
            master = copy.master_key(kind, secret, machine)
            if master is None:
                continue
            if not copy.opens_with(master):
                raise Refused(7, "damaged")
            newest = next(copy for copy in sound if copy.opens_with(master))
            return newest, newest.keys(master), [isinstance(copy, Header) for copy in copies]
        except Refused as problem:
            refusal = refusal or problem
    raise refusal or Refused(8, "wrongKey")


class Keys:
    def __init__(self, data_key, file_id, key_number):
        self.file_id = file_id
        extent = file_id + key_number
        self.value = derive(data_key, b"scv1 value", extent)
        self.nonce_key = derive(data_key, b"scv1 nonce", extent)
        self.name_key, self.frame, self.index, self.record = (
            derive(data_key, context, extent)[:16]
            for context in (b"scv1 name hash", b"scv1 frame", b"scv1 index", b"scv1 record")
        )

    def name_hash(self, name):
        return siphash(self.name_key, name)

    def frame_mac(self, head, log_id, offset):
        return siphash(self.frame, log_id + struct.pack("<Q", offset) + head[:96])

    def associated(self, name_hash):
        return b"SCV1\x01\0\0\0" + self.file_id + name_hash

    def open_box(self, nonce, tag, sealed, name_hash):
        """Name and value, or None where the box does not count."""
        plain = unseal(self.value, nonce, self.associated(name_hash), sealed + tag)
        if plain is None or len(plain) < 6:
            return None
        name_length, value_length = struct.unpack_from("<HI", plain)
        end = 6 + name_length + value_length
        if not 1 <= name_length <= 1024 or value_length > 1 << 24 or end > len(plain):
            return None
        name = plain[6 : 6 + name_length]
        if not is_name(name) or self.name_hash(name) != name_hash:
            return None
        return name, plain[6 + name_length : end]

    def make_box(self, random, name, value):
        """Nonce, tag and ciphertext."""
        name_hash = self.name_hash(name)
        used = struct.pack("<HI", len(name), len(value)) + name + value
        plain = used + bytes(padded(len(used)) - len(used))
        nonce = blake2b(24, self.nonce_key, random + bytes([VALUE]) + name_hash + plain)
        sealed = seal(self.value, nonce, self.associated(name_hash), plain)
        return nonce, sealed[-16:], sealed[:-16]
