#include "bus.h"

#include <gio/gio.h>
#include <string.h>

#define SERVICE "/org/freedesktop/secrets"
#define NAME "org.freedesktop.secrets"
#define SECRET "org.freedesktop.Secret."

// Reading ten thousand secrets in one call takes the provider many seconds.
enum { PATIENCE = 120000 };

struct raw_bus {
    GDBusConnection *connection;
    char *session;
    GVariant *paths;
    size_t count;
};

static GVariant *call(raw_bus *bus, const char *path, const char *interface, const char *method, GVariant *arguments) {
    return g_dbus_connection_call_sync(bus->connection, NAME, path, interface, method, arguments, NULL,
                                       G_DBUS_CALL_FLAGS_NONE, PATIENCE, NULL, NULL);
}

static int done(GVariant *reply) {
    if (!reply) return -1;
    g_variant_unref(reply);
    return 0;
}

raw_bus *raw_open(void) {
    char *address = g_dbus_address_get_for_bus_sync(G_BUS_TYPE_SESSION, NULL, NULL);
    raw_bus *bus = g_new0(raw_bus, 1);
    bus->connection = g_dbus_connection_new_for_address_sync(
        address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
        NULL, NULL, NULL);
    g_free(address);
    GVariant *reply = bus->connection ? call(bus, SERVICE, SECRET "Service", "OpenSession",
                                             g_variant_new("(sv)", "plain", g_variant_new_string(""))) : NULL;
    if (!reply) {
        raw_close(bus);
        return NULL;
    }
    g_variant_get(reply, "(vo)", NULL, &bus->session);
    g_variant_unref(reply);
    return bus;
}

void raw_close(raw_bus *bus) {
    if (bus->paths) g_variant_unref(bus->paths);
    if (bus->connection) {
        g_dbus_connection_close_sync(bus->connection, NULL, NULL);
        g_object_unref(bus->connection);
    }
    g_free(bus->session);
    g_free(bus);
}

int raw_ping(raw_bus *bus) { return done(call(bus, SERVICE, "org.freedesktop.DBus.Peer", "Ping", NULL)); }

long raw_find_paths(raw_bus *bus) {
    GVariantBuilder attributes;
    g_variant_builder_init(&attributes, G_VARIANT_TYPE("a{ss}"));
    g_variant_builder_add(&attributes, "{ss}", "service", "service");
    GVariant *reply = call(bus, SERVICE, SECRET "Service", "SearchItems", g_variant_new("(a{ss})", &attributes));
    if (!reply) return -1;
    if (bus->paths) g_variant_unref(bus->paths);
    bus->paths = g_variant_get_child_value(reply, 0);
    bus->count = g_variant_n_children(bus->paths);
    g_variant_unref(reply);
    return (long)bus->count;
}

static const char *path(const raw_bus *bus, size_t number, GVariant **holder) {
    *holder = g_variant_get_child_value(bus->paths, number % bus->count);
    return g_variant_get_string(*holder, NULL);
}

long raw_get(raw_bus *bus, size_t number) {
    GVariant *holder;
    GVariant *reply = call(bus, path(bus, number, &holder), SECRET "Item", "GetSecret",
                           g_variant_new("(o)", bus->session));
    g_variant_unref(holder);
    if (!reply) return -1;
    GVariant *secret = g_variant_get_child_value(reply, 0), *value = g_variant_get_child_value(secret, 2);
    long length = (long)g_variant_n_children(value);
    g_variant_unref(value);
    g_variant_unref(secret);
    g_variant_unref(reply);
    return length;
}

long raw_get_all(raw_bus *bus) {
    GVariant *reply = call(bus, SERVICE, SECRET "Service", "GetSecrets",
                           g_variant_new("(@aoo)", bus->paths, bus->session));
    if (!reply) return -1;
    GVariant *secrets = g_variant_get_child_value(reply, 0);
    long count = (long)g_variant_n_children(secrets);
    g_variant_unref(secrets);
    g_variant_unref(reply);
    return count;
}

static GVariant *secret(const raw_bus *bus, const char *value) {
    return g_variant_new("(o@ay@ays)", bus->session, g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, "", 0, 1),
                         g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, value, strlen(value), 1), "text/plain");
}

int raw_set(raw_bus *bus, size_t number, const char *value) {
    GVariant *holder;
    int status = done(call(bus, path(bus, number, &holder), SECRET "Item", "SetSecret",
                           g_variant_new("(@(oayays))", secret(bus, value))));
    g_variant_unref(holder);
    return status;
}

int raw_create(raw_bus *bus, const char *name, const char *value) {
    GVariantBuilder attributes, properties;
    g_variant_builder_init(&attributes, G_VARIANT_TYPE("a{ss}"));
    g_variant_builder_add(&attributes, "{ss}", "service", "service");
    g_variant_builder_add(&attributes, "{ss}", "account", name);
    g_variant_builder_add(&attributes, "{ss}", "xdg:schema", "org.swift-credential-storage.Entry");
    g_variant_builder_init(&properties, G_VARIANT_TYPE("a{sv}"));
    g_variant_builder_add(&properties, "{sv}", SECRET "Item.Label", g_variant_new_string(name));
    g_variant_builder_add(&properties, "{sv}", SECRET "Item.Attributes", g_variant_builder_end(&attributes));
    return done(call(bus, SERVICE "/aliases/default", SECRET "Collection", "CreateItem",
                     g_variant_new("(a{sv}@(oayays)b)", &properties, secret(bus, value), TRUE)));
}

int raw_provider_process(raw_bus *bus) {
    GVariant *reply = g_dbus_connection_call_sync(
        bus->connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
        "GetConnectionUnixProcessID", g_variant_new("(s)", NAME), NULL, G_DBUS_CALL_FLAGS_NONE, PATIENCE, NULL, NULL);
    guint32 process = 0;
    if (!reply) return 0;
    g_variant_get(reply, "(u)", &process);
    g_variant_unref(reply);
    return (int)process;
}

int raw_set_password(raw_bus *bus, const char *password) {
    GVariant *reply = call(bus, SERVICE, SECRET "Service", "ReadAlias", g_variant_new("(s)", "default"));
    if (!reply) return -1;
    const char *collection;
    g_variant_get(reply, "(&o)", &collection);
    const char *paths[] = {collection, NULL};
    int status = done(call(bus, SERVICE, SECRET "Service", "Unlock", g_variant_new("(^ao)", paths)));
    if (!status)
        status = done(call(bus, SERVICE, "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface",
                           "ChangeWithMasterPassword",
                           g_variant_new("(o@(oayays)@(oayays))", collection, secret(bus, ""), secret(bus, password))));
    g_variant_unref(reply);
    return status;
}
