#pragma once

// libsecret brings GIO, which speaks to the bus, and libgcrypt, which its own sessions are made with.
#include <gcrypt.h>
#include <gio/gio.h>
#include <libsecret/secret.h>

// `gcry_control` is variadic, and Swift imports no variadic function. Nothing of ours lives in libgcrypt's small locked
// pool, so it is not made; a program that has prepared the library already keeps what it chose.
static inline int ccl_prepare_gcrypt(void) {
    if (gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P)) return 1;
    if (!gcry_check_version("1.8.0")) return 0;
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    return 1;
}

static inline gboolean ccl_is_external(GDBusAuthObserver *observer, const gchar *mechanism, gpointer data) {
    (void)observer;
    (void)data;
    return g_strcmp0(mechanism, "EXTERNAL") == 0;
}

// Lets a client prove who it is by the kernel's word alone. The other way writes cookies into the home directory, and
// waits there for locks.
static inline GDBusAuthObserver *ccl_external_only(void) {
    GDBusAuthObserver *observer = g_dbus_auth_observer_new();
    g_signal_connect(observer, "allow-mechanism", G_CALLBACK(ccl_is_external), NULL);
    return observer;
}
