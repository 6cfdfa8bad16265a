#define _GNU_SOURCE
#include "ccredentialshims.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

// What a signal handler needs is plain memory that is written before the handler is there.
static struct {
    int input, output, wake;
    pid_t owner;
    struct termios before, raw;
    char leave[128];
    size_t leave_length;
    volatile sig_atomic_t modes, screen, answer, taken;
} held;

// A handler waits for a write that has begun, and none begins while one gives the terminal back.
static atomic_int changing, leaving;
static pthread_t changer;

static int begin_change(void) {
    changer = pthread_self();
    atomic_store(&changing, 1);
    if (!atomic_load(&leaving)) return 1;
    atomic_store(&changing, 0);
    errno = ECANCELED;
    return 0;
}

static void end_change(void) { atomic_store(&changing, 0); }

static void begin_leaving(void) {
    atomic_fetch_add(&leaving, 1);
    // Not for long: a terminal that takes nothing may hold the write up, and a fault may be that thread's own.
    for (int i = 0; i < 20 && atomic_load(&changing) && !pthread_equal(changer, pthread_self()); i++) {
        struct timespec moment = {0, 1000000};
        nanosleep(&moment, NULL);
    }
}

enum kind { ENDS, ENDS_UNLESS_HANDLED, CRASHES, TELLS };
static const struct { int number; enum kind kind; } watched[] = {
    {SIGINT, ENDS}, {SIGTERM, ENDS}, {SIGHUP, ENDS}, {SIGQUIT, ENDS}, {SIGTSTP, ENDS},
    {SIGPIPE, ENDS_UNLESS_HANDLED}, {SIGALRM, ENDS_UNLESS_HANDLED}, {SIGUSR1, ENDS_UNLESS_HANDLED},
    {SIGUSR2, ENDS_UNLESS_HANDLED}, {SIGVTALRM, ENDS_UNLESS_HANDLED}, {SIGPROF, ENDS_UNLESS_HANDLED},
    {SIGXCPU, ENDS_UNLESS_HANDLED}, {SIGXFSZ, ENDS_UNLESS_HANDLED}, {SIGPOLL, ENDS_UNLESS_HANDLED},
    {SIGABRT, CRASHES}, {SIGSEGV, CRASHES}, {SIGBUS, CRASHES}, {SIGILL, CRASHES}, {SIGTRAP, CRASHES},
    {SIGFPE, CRASHES}, {SIGSYS, CRASHES},
    {SIGWINCH, TELLS}, {SIGCONT, TELLS},
};
enum { watched_count = sizeof watched / sizeof watched[0] };
static struct sigaction former[watched_count];
static int installed[watched_count];

static void put_back(void) {
    // A child made by fork has the handlers too, and the terminal is not its own to give back.
    if (!held.taken || getpid() != held.owner) return;
    if (held.screen) {
        ssize_t ignored = write(held.output, held.leave, held.leave_length);
        (void)ignored;
        held.screen = 0;
    }
    if (!held.modes) return;
    // From the background this call would stop the process, and the modes would stay.
    sigset_t background, normal;
    sigemptyset(&background);
    sigaddset(&background, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &background, &normal);
    if (held.answer) tcflush(held.input, TCIFLUSH);
    tcsetattr(held.input, TCSANOW, &held.before);
    held.modes = 0;
    pthread_sigmask(SIG_SETMASK, &normal, NULL);
}

static void wake(void) {
    ssize_t ignored = write(held.wake, "", 1);
    (void)ignored;
}

static void by_default(int index, const struct sigaction *ours) {
    int number = watched[index].number;
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    sigaction(number, &former[index], NULL);
    raise(number);
    pthread_sigmask(SIG_UNBLOCK, &only, NULL);
    // Only a process that was stopped and goes on comes here.
    pthread_sigmask(SIG_BLOCK, &only, NULL);
    sigaction(number, ours, NULL);
}

static void on_signal(int number, siginfo_t *info, void *context) {
    int error = errno;
    int index = 0;
    while (watched[index].number != number) index++;
    const struct sigaction *before = &former[index];
    int is_function = before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN;
    if (watched[index].kind != TELLS) {
        begin_leaving();
        put_back();
    }
    if (watched[index].kind == CRASHES) {
        sigaction(number, before, NULL);
        // A fault comes again by itself when this returns, and then goes to whom it would have gone.
        if (info->si_code <= 0) raise(number);
        errno = error;
        return;
    }
    if (is_function) {
        if (before->sa_flags & SA_SIGINFO) before->sa_sigaction(number, info, context);
        else before->sa_handler(number);
    } else if (watched[index].kind != TELLS) {
        struct sigaction ours;
        if (sigaction(number, NULL, &ours) == 0) by_default(index, &ours);
    }
    if (watched[index].kind != TELLS) atomic_fetch_sub(&leaving, 1);
    if (held.taken && getpid() == held.owner) wake();
    errno = error;
}

static void watch(void) {
    struct sigaction ours;
    memset(&ours, 0, sizeof ours);
    ours.sa_sigaction = on_signal;
    ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigfillset(&ours.sa_mask);
    for (int i = 0; i < watched_count; i++) {
        installed[i] = 0;
        if (sigaction(watched[i].number, NULL, &former[i]) != 0) continue;
        int handled = former[i].sa_handler != SIG_DFL;
        // Who ignores a signal is not ended by it.
        if (former[i].sa_handler == SIG_IGN && watched[i].kind != TELLS) continue;
        if (handled && watched[i].kind == ENDS_UNLESS_HANDLED) continue;
        installed[i] = sigaction(watched[i].number, &ours, NULL) == 0;
    }
}

static void unwatch(void) {
    for (int i = 0; i < watched_count; i++) {
        struct sigaction present;
        if (!installed[i] || sigaction(watched[i].number, NULL, &present) != 0) continue;
        // What the program itself has set meanwhile stays.
        if ((present.sa_flags & SA_SIGINFO) && present.sa_sigaction == on_signal) {
            sigaction(watched[i].number, &former[i], NULL);
        }
        installed[i] = 0;
    }
}

static void at_exit(void) {
    if (!held.taken) return;
    begin_leaving();
    put_back();
}

int ccs_terminal_take(int input, int output, int wake_descriptor, const char *leave) {
    static int registered;
    if (tcgetattr(input, &held.before) != 0) return -1;
    held.raw = held.before;
    held.raw.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR | IXON | ISTRIP | BRKINT);
    held.raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG | IEXTEN);
    held.raw.c_cc[VMIN] = 1;
    held.raw.c_cc[VTIME] = 0;
    held.input = input;
    held.output = output;
    held.wake = wake_descriptor;
    held.owner = getpid();
    held.leave_length = strnlen(leave, sizeof held.leave);
    memcpy(held.leave, leave, held.leave_length);
    held.modes = held.screen = held.answer = 0;
    held.taken = 1;
    if (!registered) registered = atexit(at_exit) == 0;
    watch();
    return 0;
}

int ccs_terminal_enter(int drop_input, int takes_screen) {
    if (!begin_change()) return -1;
    held.modes = 1;
    held.screen = takes_screen;
    if (drop_input) tcflush(held.input, TCIFLUSH);
    int result = tcsetattr(held.input, TCSANOW, &held.raw);
    end_change();
    return result;
}

void ccs_terminal_answer_expected(int expected) { held.answer = expected; }

int64_t ccs_terminal_write(const void *bytes, size_t length) {
    if (!begin_change()) return -1;
    ssize_t written = -1;
    int failure = ECANCELED;
    if (held.modes) {
        written = ccs_write_quietly(held.output, bytes, length);
        failure = errno;
    }
    end_change();
    errno = failure;
    return written;
}

void ccs_terminal_leave(void) {
    held.screen = 0;
    put_back();
}

void ccs_terminal_release(void) {
    unwatch();
    held.taken = 0;
}

int ccs_terminal_is_foreground(int descriptor) {
    pid_t group = tcgetpgrp(descriptor);
    return group <= 0 || group == getpgrp();
}

void ccs_terminal_size(int descriptor, uint16_t out[4]) {
    struct winsize size = {0, 0, 0, 0};
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) memset(&size, 0, sizeof size);
    out[0] = size.ws_col;
    out[1] = size.ws_row;
    out[2] = size.ws_xpixel;
    out[3] = size.ws_ypixel;
}

int ccs_terminal_reopen(int descriptor) {
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
}

int ccs_wake_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC | O_NONBLOCK); }

int64_t ccs_write_quietly(int descriptor, const void *bytes, size_t length) {
    sigset_t broken, normal, pending;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &broken, &normal);
    ssize_t written = write(descriptor, bytes, length);
    int failure = errno;
    if (written < 0 && failure == EPIPE && !sigismember(&pending, SIGPIPE)) {
        struct timespec now = {0, 0};
        sigtimedwait(&broken, NULL, &now);
    }
    pthread_sigmask(SIG_SETMASK, &normal, NULL);
    errno = failure;
    return written;
}

void ccs_flush_standard_output(void) { fflush(stdout); }

int ccs_signal_self(int number) { return kill(getpid(), number); }
