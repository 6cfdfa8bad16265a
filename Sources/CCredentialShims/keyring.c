#define _GNU_SOURCE
#include "ccredentialshims.h"

#include <errno.h>
#include <linux/keyctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Kernels before 5.3 do not know the call, and say so.
#ifndef KEYCTL_MOVE
#define KEYCTL_MOVE 30
#define KEYCTL_MOVE_EXCL 1
#endif

// All for who reaches the key through a keyring of its own; view, read and search for other programs of the user.
#define KEY_RIGHTS 0x3f0b0000u

static long find_key(int32_t keyring, const char *description) {
    return syscall(SYS_keyctl, (long)KEYCTL_SEARCH, (long)keyring, "user", description, 0L);
}

int64_t ccs_keyring_read(int32_t keyring, const char *description, void *bytes, size_t length) {
    long key = find_key(keyring, description);
    if (key < 0) return -1;
    return syscall(SYS_keyctl, (long)KEYCTL_READ, key, bytes, length);
}

int ccs_keyring_remove(int32_t keyring, const char *description) {
    long key = find_key(keyring, description);
    return key < 0 ? -1 : (int)syscall(SYS_keyctl, (long)KEYCTL_UNLINK, key, (long)keyring);
}

int ccs_keyring_add(int32_t keyring, const char *description, const void *bytes, size_t length) {
    // To add a key where one of that description is would change it. So it is made where only this thread looks, and moved
    // from there, which can be refused.
    long key = syscall(SYS_add_key, "user", description, bytes, length, (long)KEY_SPEC_THREAD_KEYRING);
    if (key < 0) return -1;
    if (syscall(SYS_keyctl, (long)KEYCTL_SETPERM, key, (unsigned long)KEY_RIGHTS) == 0 &&
        syscall(SYS_keyctl, (long)KEYCTL_MOVE, key, (long)KEY_SPEC_THREAD_KEYRING, (long)keyring,
                (unsigned long)KEYCTL_MOVE_EXCL) == 0)
        return 0;
    int reason = errno;
    syscall(SYS_keyctl, (long)KEYCTL_UNLINK, key, (long)KEY_SPEC_THREAD_KEYRING);
    errno = reason;
    return -1;
}
