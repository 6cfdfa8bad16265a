#define _GNU_SOURCE
#include "ctestfork.h"

#include <linux/keyctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static long find(int32_t keyring, const char *description) {
    return syscall(SYS_keyctl, (long)KEYCTL_SEARCH, (long)keyring, "user", description, 0L);
}

int ctf_forget_key(int32_t keyring, const char *description) {
    long key = find(keyring, description);
    return key < 0 ? -1 : (int)syscall(SYS_keyctl, (long)KEYCTL_UNLINK, key, (long)keyring);
}

int ctf_revoke_key(int32_t keyring, const char *description) {
    long key = find(keyring, description);
    if (key < 0) return -1;
    // Only who reaches the key through a keyring of its own may revoke it.
    long thread = KEY_SPEC_THREAD_KEYRING;
    syscall(SYS_keyctl, (long)KEYCTL_LINK, (long)keyring, thread);
    int result = (int)syscall(SYS_keyctl, (long)KEYCTL_REVOKE, key);
    syscall(SYS_keyctl, (long)KEYCTL_UNLINK, (long)keyring, thread);
    return result;
}
