// What no store can be faster than: the cipher alone, and an append that is synced and nothing else.

#include "peers.h"
#include "sealing.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int limit_sodium_ready(void) { return sodium_init() < 0 ? -1 : 0; }

// Each thread has its own memory, and keeps it from call to call: what is measured is the cipher.
static _Thread_local unsigned char *clear, *sealed;
static _Thread_local size_t room;

static void prepare(size_t length) {
    if (room == length) return;
    free(clear);
    free(sealed);
    clear = calloc(1, length);
    sealed = malloc(length + TAG);
    room = length;
}

static unsigned char nonce[NONCE];

void limit_seal(size_t length, long rounds) {
    prepare(length);
    for (long i = 0; i < rounds; i++)
        crypto_aead_xchacha20poly1305_ietf_encrypt(sealed, NULL, clear, length, NULL, 0, NULL, nonce, peer_key);
}

int limit_open(size_t length, long rounds) {
    limit_seal(length, 1);
    int status = 0;
    for (long i = 0; i < rounds; i++)
        status |= crypto_aead_xchacha20poly1305_ietf_decrypt(
            clear, NULL, NULL, sealed, length + TAG, NULL, 0, nonce, peer_key);
    return status;
}

struct append_log {
    int file;
    size_t size, record, end;
    unsigned char *bytes;
};

append_log *limit_append_open(const char *path, size_t size, size_t record) {
    append_log *log = calloc(1, sizeof *log);
    *log = (append_log){open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), size, record, 0, malloc(record)};
    unsigned char *zeros = calloc(1, 1 << 20);
    memset(log->bytes, 0x5a, record);
    for (size_t at = 0; log->file >= 0 && at < size; at += 1 << 20)
        if (pwrite(log->file, zeros, 1 << 20, (off_t)at) != 1 << 20) size = 0;
    free(zeros);
    if (log->file >= 0 && size && !fsync(log->file)) return log;
    limit_append_close(log);
    return NULL;
}

int limit_append(append_log *log) {
    if (log->end + log->record > log->size) log->end = 0;
    if (pwrite(log->file, log->bytes, log->record, (off_t)log->end) != (ssize_t)log->record) return -1;
    log->end += log->record;
    return fdatasync(log->file);
}

void limit_append_close(append_log *log) {
    if (log->file >= 0) close(log->file);
    free(log->bytes);
    free(log);
}
