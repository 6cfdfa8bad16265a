#pragma once

#include <stddef.h>

// The Secret Service on the session bus of the environment, as libsecret's callers reach it, and by plain D-Bus calls.
// Where nothing else is said, 0 is success and -1 is not. Entries have the attributes `service` = "service", `account`
// = the name, and the schema of this package's own entries.

int libsecret_store(const char *name, const char *value);
// The length of the value, or -1.
long libsecret_lookup(const char *name);
int libsecret_clear(const char *name);
// Every entry with its secret, as libsecret documents it; how many had one.
long libsecret_search_all(void);

typedef struct raw_bus raw_bus;

// A connection with a session that does not encrypt.
raw_bus *raw_open(void);
void raw_close(raw_bus *bus);
// A call that the provider answers with nothing.
int raw_ping(raw_bus *bus);
// Asks for the paths of all entries and keeps them; how many.
long raw_find_paths(raw_bus *bus);
// The length of the secret at the kept path with this number, or -1.
long raw_get(raw_bus *bus, size_t number);
// How many secrets came for all kept paths, in one call.
long raw_get_all(raw_bus *bus);
int raw_set(raw_bus *bus, size_t number, const char *value);
// Makes an item, or replaces the one with the same attributes.
int raw_create(raw_bus *bus, const char *name, const char *value);
// The provider's process, or 0.
int raw_provider_process(raw_bus *bus);
// Encrypts the default collection, which has no password yet, under this one.
int raw_set_password(raw_bus *bus, const char *password);
