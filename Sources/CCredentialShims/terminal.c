#define _GNU_SOURCE
#include "ccredentialshims.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <termios.h>
#include <unistd.h>

int ccs_deny_dumps(void) {
    // One byte, not none: a limit of 0 still feeds a core pattern that is a pipe, a limit of 1 ends both
    // kinds. The process stays dumpable otherwise, so that /dev/stdin keeps working for an ordinary user.
    struct rlimit one = {1, 1};
    return setrlimit(RLIMIT_CORE, &one);
}

static volatile sig_atomic_t caught_signal;
static void note_signal(int number) { caught_signal = number; }

int64_t ccs_read_hidden_line(int descriptor, void *bytes, size_t length, int *signal_number) {
    static const int watched[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
    enum { watched_count = sizeof watched / sizeof watched[0] };
    struct sigaction handler, before[watched_count];
    struct termios shown, hidden;
    sigset_t blocked, normal;

    *signal_number = 0;
    if (tcgetattr(descriptor, &shown) != 0) return -1;

    // The signals stay blocked except inside ppoll, so that none can slip in before the wait begins.
    sigemptyset(&blocked);
    for (int i = 0; i < watched_count; i++) sigaddset(&blocked, watched[i]);
    pthread_sigmask(SIG_BLOCK, &blocked, &normal);
    caught_signal = 0;
    memset(&handler, 0, sizeof handler);
    handler.sa_handler = note_signal;
    sigemptyset(&handler.sa_mask);
    for (int i = 0; i < watched_count; i++) sigaction(watched[i], &handler, &before[i]);

    hidden = shown;
    hidden.c_lflag &= ~(tcflag_t)(ECHO | ECHOE | ECHOK);
    hidden.c_lflag |= ECHONL | ICANON | ISIG;
    int64_t result = -1;
    int failure = 0;
    if (tcsetattr(descriptor, TCSAFLUSH, &hidden) != 0) {
        failure = errno;
    } else {
        unsigned char *out = bytes;
        size_t count = 0;
        for (;;) {
            struct pollfd waiting = {.fd = descriptor, .events = POLLIN, .revents = 0};
            if (ppoll(&waiting, 1, NULL, &normal) < 0) { failure = errno; break; }
            unsigned char one;
            ssize_t got = read(descriptor, &one, 1);
            if (got < 0) { failure = errno; break; }
            // A line that was not ended was not meant, or its terminal is gone.
            if (got == 0) { failure = ENODATA; break; }
            if (one == '\n') { result = (int64_t)count; break; }
            if (count == length) { failure = EMSGSIZE; break; }
            out[count++] = one;
        }
        tcsetattr(descriptor, TCSAFLUSH, &shown);
    }
    for (int i = 0; i < watched_count; i++) sigaction(watched[i], &before[i], NULL);
    pthread_sigmask(SIG_SETMASK, &normal, NULL);
    *signal_number = caught_signal;
    if (result >= 0) return result;
    ccs_wipe(bytes, length);
    errno = failure;
    return -1;
}
