// LMDB with every commit synced, and each value sealed by hand.

#include "peers.h"
#include "sealing.h"

#include <dlfcn.h>
#include <stdlib.h>

// What is used of lmdb.h, so that this builds without it.
typedef struct { size_t size; void *data; } value;
enum { READ_ONLY = 0x20000, RESERVE = 0x10000, CURSOR_NEXT = 8 };

static struct {
    int (*env_create)(void **env);
    int (*env_set_mapsize)(void *env, size_t size);
    int (*env_open)(void *env, const char *path, unsigned flags, unsigned mode);
    void (*env_close)(void *env);
    int (*txn_begin)(void *env, void *parent, unsigned flags, void **txn);
    int (*txn_commit)(void *txn);
    void (*txn_abort)(void *txn);
    void (*txn_reset)(void *txn);
    int (*txn_renew)(void *txn);
    int (*dbi_open)(void *txn, const char *name, unsigned flags, unsigned *dbi);
    int (*get)(void *txn, unsigned dbi, value *key, value *data);
    int (*put)(void *txn, unsigned dbi, value *key, value *data, unsigned flags);
    int (*del)(void *txn, unsigned dbi, value *key, value *data);
    int (*cursor_open)(void *txn, unsigned dbi, void **cursor);
    int (*cursor_get)(void *cursor, value *key, value *data, int operation);
    void (*cursor_close)(void *cursor);
} mdb;

struct peer {
    void *env, *reader, *batch;
    unsigned dbi;
};

static int load(void) {
    if (mdb.cursor_close) return 0;
    void *library = dlopen("liblmdb.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return -1;
#define FIND(name) if (!(*(void **)&mdb.name = dlsym(library, "mdb_" #name))) return -1
    FIND(env_create);
    FIND(env_set_mapsize);
    FIND(env_open);
    FIND(env_close);
    FIND(txn_begin);
    FIND(txn_commit);
    FIND(txn_abort);
    FIND(txn_reset);
    FIND(txn_renew);
    FIND(dbi_open);
    FIND(get);
    FIND(put);
    FIND(del);
    FIND(cursor_open);
    FIND(cursor_get);
    FIND(cursor_close);
#undef FIND
    return 0;
}

static peer *lmdb_open(const char *directory) {
    void *txn = NULL;
    if (load() || sodium_init() < 0) return NULL;
    peer *store = calloc(1, sizeof *store);
    if (mdb.env_create(&store->env)) goto failed;
    mdb.env_set_mapsize(store->env, (size_t)8 << 30);
    if (mdb.env_open(store->env, directory, 0, 0600)) goto failed;
    // Where the database is there already, nothing is written.
    if (mdb.txn_begin(store->env, NULL, READ_ONLY, &txn)) goto failed;
    if (mdb.dbi_open(txn, NULL, 0, &store->dbi) || mdb.txn_commit(txn)) goto failed;
    return store;
failed:
    if (store->env) mdb.env_close(store->env);
    free(store);
    return NULL;
}

static void lmdb_close(peer *store) {
    if (store->reader) mdb.txn_abort(store->reader);
    mdb.env_close(store->env);
    free(store);
}

static int put(void *txn, unsigned dbi, value key, const void *bytes, size_t length) {
    value room = {length + SEALING, NULL};
    int status = mdb.put(txn, dbi, &key, &room, RESERVE);
    if (!status) seal(room.data, bytes, length, key.data, key.size);
    return status;
}

static int lmdb_set(peer *store, const char *name, size_t name_length, const void *bytes, size_t length) {
    value key = {name_length, (void *)name};
    void *txn = NULL;
    if (store->batch) return put(store->batch, store->dbi, key, bytes, length);
    if (mdb.txn_begin(store->env, NULL, 0, &txn)) return -1;
    if (!put(txn, store->dbi, key, bytes, length)) return mdb.txn_commit(txn);
    mdb.txn_abort(txn);
    return -1;
}

static int begin_reading(peer *store) {
    if (store->reader) return mdb.txn_renew(store->reader);
    return mdb.txn_begin(store->env, NULL, READ_ONLY, &store->reader);
}

static long lmdb_get(peer *store, const char *name, size_t name_length, void *room, size_t capacity) {
    value key = {name_length, (void *)name}, sealed;
    long length = -1;
    if (begin_reading(store)) return -1;
    if (!mdb.get(store->reader, store->dbi, &key, &sealed))
        length = unseal(room, capacity, sealed.data, sealed.size, name, name_length);
    mdb.txn_reset(store->reader);
    return length;
}

static int lmdb_remove(peer *store, const char *name, size_t name_length) {
    value key = {name_length, (void *)name};
    void *txn = NULL;
    if (mdb.txn_begin(store->env, NULL, 0, &txn)) return -1;
    if (!mdb.del(txn, store->dbi, &key, NULL)) return mdb.txn_commit(txn);
    mdb.txn_abort(txn);
    return -1;
}

static int lmdb_begin(peer *store) { return mdb.txn_begin(store->env, NULL, 0, &store->batch); }

static int lmdb_commit(peer *store) {
    int status = mdb.txn_commit(store->batch);
    store->batch = NULL;
    return status;
}

static long lmdb_read_all(peer *store) {
    static unsigned char room[1 << 20];
    void *cursor = NULL;
    value key, sealed;
    long count = 0;
    if (begin_reading(store)) return -1;
    if (mdb.cursor_open(store->reader, store->dbi, &cursor)) return -1;
    while (count >= 0 && !mdb.cursor_get(cursor, &key, &sealed, CURSOR_NEXT))
        count = unseal(room, sizeof room, sealed.data, sealed.size, key.data, key.size) < 0 ? -1 : count + 1;
    mdb.cursor_close(cursor);
    mdb.txn_reset(store->reader);
    return count;
}

const peer_calls peer_lmdb = {
    load, lmdb_open, lmdb_close, lmdb_set, lmdb_get, lmdb_remove, lmdb_begin, lmdb_commit, lmdb_read_all,
};
