// What many programs do: one JSON object of everything, sealed as a whole, and written anew at every change.

#include "peers.h"
#include "sealing.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    char *name, *value;  // The value in base64, as it stands in the object.
    size_t name_length, length;
} entry;

struct peer {
    char *directory;
    entry *entries;
    size_t count, capacity;
    int in_batch;
    // The place of each name, in an open table that is a power of two and at most half full.
    uint32_t *table;
    size_t slots;
};

static uint64_t hash(const char *name, size_t length) {
    static const unsigned char key[crypto_shorthash_KEYBYTES];
    uint64_t out;
    crypto_shorthash((unsigned char *)&out, (const unsigned char *)name, length, key);
    return out;
}

// The slot of a name, or the free one where it would go. A slot holds the entry's place plus one.
static size_t find(const peer *store, const char *name, size_t length) {
    size_t slot = hash(name, length) & (store->slots - 1);
    for (; store->table[slot]; slot = (slot + 1) & (store->slots - 1)) {
        const entry *there = &store->entries[store->table[slot] - 1];
        if (there->name_length == length && !memcmp(there->name, name, length)) break;
    }
    return slot;
}

static void index_all(peer *store) {
    while (store->slots < 2 * (store->count + 1)) store->slots = store->slots ? 2 * store->slots : 64;
    free(store->table);
    store->table = calloc(store->slots, sizeof *store->table);
    for (size_t i = 0; i < store->count; i++)
        store->table[find(store, store->entries[i].name, store->entries[i].name_length)] = (uint32_t)i + 1;
}

static entry *add(peer *store, const char *name, size_t name_length) {
    if (store->count == store->capacity) {
        store->capacity = store->capacity ? 2 * store->capacity : 64;
        store->entries = realloc(store->entries, store->capacity * sizeof *store->entries);
    }
    if (store->slots < 2 * (store->count + 2)) index_all(store);
    entry *new = &store->entries[store->count++];
    *new = (entry){malloc(name_length), NULL, name_length, 0};
    memcpy(new->name, name, name_length);
    store->table[find(store, name, name_length)] = (uint32_t)store->count;
    return new;
}

static size_t render(const peer *store, char **text) {
    size_t size = 2;
    for (size_t i = 0; i < store->count; i++) size += store->entries[i].name_length + store->entries[i].length + 6;
    char *out = *text = malloc(size + SEALING);
    *out++ = '{';
    for (size_t i = 0; i < store->count; i++) {
        const entry *each = &store->entries[i];
        // Names and values of this benchmark need no escapes.
        out += sprintf(out, "%s\"%.*s\":\"", i ? "," : "", (int)each->name_length, each->name);
        memcpy(out, each->value, each->length);
        out += each->length;
        *out++ = '"';
    }
    *out++ = '}';
    return (size_t)(out - *text);
}

// A file beside it, synced, renamed over the old one, and the directory synced: what it takes to be durable.
static int replace(const peer *store, const void *bytes, size_t length) {
    char new[4096], path[4096];
    snprintf(new, sizeof new, "%s/blob.new", store->directory);
    snprintf(path, sizeof path, "%s/blob", store->directory);
    int file = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return -1;
    int status = write(file, bytes, length) == (ssize_t)length && !fsync(file) ? 0 : -1;
    close(file);
    if (status || rename(new, path)) return -1;
    int directory = open(store->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    status = fsync(directory);
    close(directory);
    return status;
}

static int save(peer *store) {
    char *text;
    size_t length = render(store, &text);
    unsigned char *sealed = malloc(length + SEALING);
    seal(sealed, text, length, NULL, 0);
    int status = replace(store, sealed, length + SEALING);
    free(sealed);
    free(text);
    return status;
}

static void parse(peer *store, const char *text, const char *end) {
    // Only what `render` writes is read.
    while (text + 1 < end && text[1] == '"') {
        const char *name = text + 2, *name_end = memchr(name, '"', (size_t)(end - name));
        const char *value = name_end + 3, *value_end = memchr(value, '"', (size_t)(end - value));
        entry *new = add(store, name, (size_t)(name_end - name));
        new->length = (size_t)(value_end - value);
        new->value = malloc(new->length);
        memcpy(new->value, value, new->length);
        text = value_end + 1;
    }
}

static void blob_close(peer *store) {
    for (size_t i = 0; i < store->count; i++) {
        free(store->entries[i].name);
        free(store->entries[i].value);
    }
    free(store->entries);
    free(store->table);
    free(store->directory);
    free(store);
}

static peer *blob_open(const char *directory) {
    if (sodium_init() < 0) return NULL;
    peer *store = calloc(1, sizeof *store);
    store->directory = strdup(directory);
    index_all(store);
    char path[4096];
    snprintf(path, sizeof path, "%s/blob", directory);
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return store;
    long length = -1;
    char *sealed = NULL, *text = NULL;
    if (!fstat(file, &status)) {
        sealed = malloc((size_t)status.st_size);
        text = malloc((size_t)status.st_size);
        if (read(file, sealed, (size_t)status.st_size) == status.st_size)
            length = unseal(text, (size_t)status.st_size, sealed, (size_t)status.st_size, NULL, 0);
    }
    close(file);
    if (length >= 0) parse(store, text, text + length);
    free(sealed);
    free(text);
    if (length >= 0) return store;
    blob_close(store);
    return NULL;
}

static int blob_set(peer *store, const char *name, size_t name_length, const void *value, size_t length) {
    size_t slot = find(store, name, name_length);
    entry *place = store->table[slot] ? &store->entries[store->table[slot] - 1] : add(store, name, name_length);
    size_t size = sodium_base64_ENCODED_LEN(length, sodium_base64_VARIANT_ORIGINAL);
    place->value = realloc(place->value, size);
    sodium_bin2base64(place->value, size, value, length, sodium_base64_VARIANT_ORIGINAL);
    place->length = size - 1;
    return store->in_batch ? 0 : save(store);
}

static long decode(const entry *there, void *room, size_t capacity) {
    size_t length;
    if (sodium_base642bin(room, capacity, there->value, there->length, NULL, &length, NULL,
                          sodium_base64_VARIANT_ORIGINAL))
        return -1;
    return (long)length;
}

static long blob_get(peer *store, const char *name, size_t name_length, void *room, size_t capacity) {
    size_t slot = find(store, name, name_length);
    return store->table[slot] ? decode(&store->entries[store->table[slot] - 1], room, capacity) : -1;
}

static int blob_remove(peer *store, const char *name, size_t name_length) {
    size_t slot = find(store, name, name_length);
    if (!store->table[slot]) return -1;
    entry *place = &store->entries[store->table[slot] - 1];
    free(place->name);
    free(place->value);
    *place = store->entries[--store->count];
    index_all(store);
    return save(store);
}

static int blob_begin(peer *store) { return store->in_batch = 1, 0; }

static int blob_commit(peer *store) {
    store->in_batch = 0;
    return save(store);
}

static long blob_read_all(peer *store) {
    static unsigned char room[1 << 20];
    long count = 0;
    for (size_t i = 0; i < store->count; i++) count += decode(&store->entries[i], room, sizeof room) >= 0;
    return count;
}

static int blob_load(void) { return 0; }

const peer_calls peer_blob = {
    blob_load, blob_open, blob_close, blob_set, blob_get, blob_remove, blob_begin, blob_commit, blob_read_all,
};
