#pragma once

#include <stddef.h>
#include <stdint.h>

// What a store beside ours does, each written against the public interface of its library. Where nothing else is said,
// 0 is success. The libraries of the databases are loaded by `load`, which `open` calls; an `open` that answers NULL has no
// library or no store.

typedef struct peer peer;

typedef struct {
    int (*load)(void);
    peer *(*open)(const char *directory);
    void (*close)(peer *store);
    // Durable when it returns, or part of what `begin` began.
    int (*set)(peer *store, const char *name, size_t name_length, const void *value, size_t length);
    // The length of the value, or -1.
    long (*get)(peer *store, const char *name, size_t name_length, void *room, size_t capacity);
    int (*remove)(peer *store, const char *name, size_t name_length);
    int (*begin)(peer *store);
    int (*commit)(peer *store);
    // Opens every value; the number of entries, or -1.
    long (*read_all)(peer *store);
} peer_calls;

extern const peer_calls peer_lmdb, peer_sqlite, peer_sqlcipher, peer_blob;

// The limits: libsodium alone, and an append with fdatasync alone.

int limit_sodium_ready(void);
// Seals or opens one value of this length, the same memory each time; `rounds` times.
void limit_seal(size_t length, long rounds);
int limit_open(size_t length, long rounds);

typedef struct append_log append_log;
// A file of zeros of this size, written and synced, that records of this length go into one after the other.
append_log *limit_append_open(const char *path, size_t size, size_t record);
int limit_append(append_log *log);
void limit_append_close(append_log *log);
