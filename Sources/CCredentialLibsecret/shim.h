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
