// What tests do to a process and to the kernel, and Swift does not show.
#pragma once

#include <stdint.h>

// Runs `body` in a forked child and answers its result, 0 to 254; -1 when the child did not end by itself within
// `seconds`, or when there could be none.
int ctf_run_in_child(int (*body)(void), unsigned seconds);

// Takes a key of this description out of a keyring, or makes it useless where it is: 0 when there was one.
int ctf_forget_key(int32_t keyring, const char *description);
int ctf_revoke_key(int32_t keyring, const char *description);
