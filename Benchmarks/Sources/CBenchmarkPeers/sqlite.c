// One table in WAL mode, synced at every commit: SQLite with each value sealed by hand, and SQLCipher, which encrypts
// its pages. Both export the same names, so each is loaded apart from the other.

#include "peers.h"
#include "sealing.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

// What is used of sqlite3.h, so that this builds without it.
enum { ROW = 100, DONE = 101 };

typedef struct {
    int (*open)(const char *path, void **database);
    int (*close)(void *database);
    int (*exec)(void *database, const char *text, void *each, void *context, char **message);
    int (*prepare_v2)(void *database, const char *text, int length, void **statement, const char **rest);
    int (*bind_blob)(void *statement, int place, const void *bytes, int length, void *destructor);
    int (*step)(void *statement);
    int (*reset)(void *statement);
    int (*finalize)(void *statement);
    const void *(*column_blob)(void *statement, int column);
    int (*column_bytes)(void *statement, int column);
    int (*changes)(void *database);
    int (*key)(void *database, const void *key, int length);
} library;

static library plain, cipher;

struct peer {
    const library *sql;
    void *database, *put, *get, *remove, *all;
    unsigned char *room;
};

static int load(library *sql, const char *file, int with_key) {
    if (sql->open) return 0;
    library found = {0};
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return -1;
#define FIND(name) if (!(*(void **)&found.name = dlsym(handle, "sqlite3_" #name))) return -1
    FIND(open);
    FIND(close);
    FIND(exec);
    FIND(prepare_v2);
    FIND(bind_blob);
    FIND(step);
    FIND(reset);
    FIND(finalize);
    FIND(column_blob);
    FIND(column_bytes);
    FIND(changes);
    if (with_key) FIND(key);
#undef FIND
    *sql = found;
    return 0;
}

static int run(const peer *store, const char *text) {
    return store->sql->exec(store->database, text, NULL, NULL, NULL);
}

static void sql_close(peer *store) {
    void *statements[] = {store->put, store->get, store->remove, store->all};
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) store->sql->finalize(statements[i]);
    store->sql->close(store->database);
    free(store->room);
    free(store);
}

// A raw key: the peers' keys are derived once, and no figure holds a derivation.
static int give_key(const peer *store) {
    char text[80] = "x'";
    sodium_bin2hex(text + 2, 65, peer_key, sizeof peer_key);
    strcat(text, "'");
    return store->sql->key(store->database, text, (int)strlen(text));
}

static int prepare(const peer *store, const char *text, void **statement) {
    return store->sql->prepare_v2(store->database, text, -1, statement, NULL);
}

static peer *sql_open(const library *sql, const char *directory) {
    char path[4096];
    snprintf(path, sizeof path, "%s/entries.db", directory);
    peer *store = calloc(1, sizeof *store);
    store->sql = sql;
    store->room = malloc((1 << 20) + SEALING);
    if (sql->open(path, &store->database) || (sql->key && give_key(store)) ||
        run(store, "PRAGMA journal_mode=WAL") || run(store, "PRAGMA synchronous=FULL") ||
        run(store, "CREATE TABLE IF NOT EXISTS entries(name BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID") ||
        prepare(store, "INSERT OR REPLACE INTO entries VALUES(?1, ?2)", &store->put) ||
        prepare(store, "SELECT value FROM entries WHERE name = ?1", &store->get) ||
        prepare(store, "DELETE FROM entries WHERE name = ?1", &store->remove) ||
        prepare(store, "SELECT name, value FROM entries", &store->all)) {
        sql_close(store);
        return NULL;
    }
    return store;
}

static int sqlite_load(void) { return load(&plain, "libsqlite3.so.0", 0); }

static int sqlcipher_load(void) { return load(&cipher, "libsqlcipher.so.0", 1); }

static peer *sqlite_open(const char *directory) {
    return sodium_init() < 0 || sqlite_load() ? NULL : sql_open(&plain, directory);
}

static peer *sqlcipher_open(const char *directory) {
    return sodium_init() < 0 || sqlcipher_load() ? NULL : sql_open(&cipher, directory);
}

static int sql_set(peer *store, const char *name, size_t name_length, const void *bytes, size_t length) {
    const library *sql = store->sql;
    sql->bind_blob(store->put, 1, name, (int)name_length, NULL);
    if (sql->key) {
        sql->bind_blob(store->put, 2, bytes, (int)length, NULL);
    } else {
        seal(store->room, bytes, length, name, name_length);
        sql->bind_blob(store->put, 2, store->room, (int)(length + SEALING), NULL);
    }
    int status = sql->step(store->put);
    sql->reset(store->put);
    return status == DONE ? 0 : -1;
}

static long take(const peer *store, void *statement, int column, void *room, size_t capacity, const void *name,
                 size_t name_length) {
    const void *bytes = store->sql->column_blob(statement, column);
    size_t length = (size_t)store->sql->column_bytes(statement, column);
    if (!store->sql->key) return unseal(room, capacity, bytes, length, name, name_length);
    if (length > capacity) return -1;
    memcpy(room, bytes, length);
    return (long)length;
}

static long sql_get(peer *store, const char *name, size_t name_length, void *room, size_t capacity) {
    const library *sql = store->sql;
    long length = -1;
    sql->bind_blob(store->get, 1, name, (int)name_length, NULL);
    if (sql->step(store->get) == ROW) length = take(store, store->get, 0, room, capacity, name, name_length);
    sql->reset(store->get);
    return length;
}

static int sql_remove(peer *store, const char *name, size_t name_length) {
    const library *sql = store->sql;
    sql->bind_blob(store->remove, 1, name, (int)name_length, NULL);
    int status = sql->step(store->remove);
    sql->reset(store->remove);
    return status == DONE && sql->changes(store->database) == 1 ? 0 : -1;
}

static int sql_begin(peer *store) { return run(store, "BEGIN"); }

static int sql_commit(peer *store) { return run(store, "COMMIT"); }

static long sql_read_all(peer *store) {
    const library *sql = store->sql;
    long count = 0;
    while (count >= 0 && sql->step(store->all) == ROW) {
        const void *name = sql->column_blob(store->all, 0);
        size_t name_length = (size_t)sql->column_bytes(store->all, 0);
        count = take(store, store->all, 1, store->room, 1 << 20, name, name_length) < 0 ? -1 : count + 1;
    }
    sql->reset(store->all);
    return count;
}

const peer_calls peer_sqlite = {
    sqlite_load, sqlite_open, sql_close, sql_set, sql_get, sql_remove, sql_begin, sql_commit, sql_read_all,
};
const peer_calls peer_sqlcipher = {
    sqlcipher_load, sqlcipher_open, sql_close, sql_set, sql_get, sql_remove, sql_begin, sql_commit, sql_read_all,
};
