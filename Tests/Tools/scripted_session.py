"""The two session algorithms of the Secret Service specification, from the provider's side."""

import os
import secrets

from cryptography.hazmat.primitives import hashes, padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

# The second Oakley group, RFC 2409 section 6.2.
PRIME = int(
    "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DDEF9519B3CD3A431B"
    "302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7EDEE386BFB5A899FA5AE9F24117C4B1FE6"
    "49286651ECE65381FFFFFFFFFFFFFFFF", 16)
LENGTH = 128


class PlainSession:
    def encrypt(self, value):
        return b"", value

    def decrypt(self, parameters, value):
        return value


class EncryptedSession:
    def __init__(self, client_public, zeros=""):
        """With `zeros`, that number begins with a zero byte: `shared`, `public`, or `stripped`, a public one without it."""
        theirs = int.from_bytes(client_public, "big")
        private = secrets.randbits(256) | 1
        public, shared = pow(2, private, PRIME), pow(theirs, private, PRIME)
        limit = 1 << 8 * (LENGTH - 1)
        while zeros and (shared if zeros == "shared" else public) >= limit:
            public, shared = public * 2 % PRIME, shared * theirs % PRIME
        self.public = public.to_bytes(LENGTH, "big")
        if zeros == "stripped":
            self.public = self.public.lstrip(b"\0")
        self.key = HKDF(hashes.SHA256(), 16, None, b"").derive(shared.to_bytes(LENGTH, "big"))

    def encrypt(self, value):
        parameters = os.urandom(16)
        padder = padding.PKCS7(128).padder()
        padded = padder.update(value) + padder.finalize()
        encryptor = Cipher(algorithms.AES(self.key), modes.CBC(parameters)).encryptor()
        return parameters, encryptor.update(padded) + encryptor.finalize()

    def decrypt(self, parameters, value):
        decryptor = Cipher(algorithms.AES(self.key), modes.CBC(parameters)).decryptor()
        padded = decryptor.update(value) + decryptor.finalize()
        unpadder = padding.PKCS7(128).unpadder()
        return unpadder.update(padded) + unpadder.finalize()
