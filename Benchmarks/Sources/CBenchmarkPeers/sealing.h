#pragma once

#include <sodium.h>
#include <string.h>

// The sealing that LMDB, SQLite and the blob use by hand: XChaCha20-Poly1305 under one key, the name as associated data.

enum { NONCE = 24, TAG = 16, SEALING = NONCE + TAG };

static const unsigned char peer_key[32] = {1, 2, 3, 4, 5, 6, 7, 8};

static inline void seal(void *out, const void *value, size_t length, const void *name, size_t name_length) {
    unsigned char *nonce = out;
    randombytes_buf(nonce, NONCE);
    crypto_aead_xchacha20poly1305_ietf_encrypt(nonce + NONCE, NULL, value, length, name, name_length, NULL, nonce, peer_key);
}

// The length of the value, or -1 when it does not open or has no room.
static inline long unseal(
    void *out, size_t capacity, const void *sealed, size_t length, const void *name, size_t name_length) {
    const unsigned char *nonce = sealed;
    if (length < SEALING || length - SEALING > capacity) return -1;
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(
            out, NULL, NULL, nonce + NONCE, length - NONCE, name, name_length, nonce, peer_key))
        return -1;
    return (long)(length - SEALING);
}
