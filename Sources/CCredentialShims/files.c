#define _GNU_SOURCE
#include "ccredentialshims.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int status_from(int directory, const char *path, int flags, ccs_status *out) {
    struct statx raw;
    unsigned mask = STATX_TYPE | STATX_MODE | STATX_UID | STATX_INO | STATX_SIZE | STATX_NLINK;
    if (statx(directory, path, flags, mask, &raw) != 0) return -1;
    out->device = ((uint64_t)raw.stx_dev_major << 32) | raw.stx_dev_minor;
    out->inode = raw.stx_ino;
    out->size = raw.stx_size;
    out->mode = raw.stx_mode;
    out->owner = raw.stx_uid;
    out->links = raw.stx_nlink;
    return 0;
}

int ccs_status_of(int descriptor, ccs_status *out) { return status_from(descriptor, "", AT_EMPTY_PATH, out); }

int ccs_status_at(const char *path, int follow, ccs_status *out) {
    return status_from(AT_FDCWD, path, follow ? 0 : AT_SYMLINK_NOFOLLOW, out);
}

int ccs_open(const char *path, int flags, mode_t mode) {
    int descriptor;
    do descriptor = open(path, flags | O_CLOEXEC, mode);
    while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

// O_NONBLOCK so that a FIFO put in a file's place cannot hang the opener.
int ccs_open_nofollow_flags(void) { return O_NOFOLLOW | O_NONBLOCK | O_NOCTTY; }

int ccs_open_unnamed(const char *directory) { return ccs_open(directory, O_TMPFILE | O_RDWR, 0600); }

int ccs_link(int descriptor, const char *path) {
    if (linkat(descriptor, "", AT_FDCWD, path, AT_EMPTY_PATH) == 0) return 0;
    // Older kernels let only root do that, and answer so.
    if (errno != ENOENT) return -1;
    char name[32];
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    return linkat(AT_FDCWD, name, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

int ccs_rename_exclusive(const char *from, const char *to) {
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return -1;
    // File systems without the flag: a hard link is as exclusive.
    if (link(from, to) != 0) return -1;
    return unlink(from);
}

int ccs_pwrite_all(int descriptor, const void *bytes, size_t length, int64_t offset) {
    sigset_t limit, before;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &limit, &before);

    const unsigned char *next = bytes;
    int failure = 0;
    while (length > 0) {
        ssize_t written = pwrite(descriptor, next, length, offset);
        if (written < 0) {
            if (errno == EINTR) continue;
            failure = errno;
            break;
        }
        if (written == 0) {
            failure = EIO;
            break;
        }
        next += written;
        offset += written;
        length -= (size_t)written;
    }
    if (failure == EFBIG && !sigismember(&before, SIGXFSZ)) {
        struct timespec now = {0, 0};
        sigtimedwait(&limit, NULL, &now);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure == 0) return 0;
    errno = failure;
    return -1;
}

int64_t ccs_pread(int descriptor, void *bytes, size_t length, int64_t offset) {
    unsigned char *next = bytes;
    size_t done = 0;
    while (done < length) {
        ssize_t got = pread(descriptor, next + done, length - done, offset + (int64_t)done);
        if (got < 0) {
            if (errno == EINTR) continue;
            return -1;
        }
        if (got == 0) break;
        done += (size_t)got;
    }
    return (int64_t)done;
}

int64_t ccs_seek_data(int descriptor, int64_t offset) { return lseek(descriptor, offset, SEEK_DATA); }

int64_t ccs_file_system_kind(int descriptor) {
    struct statfs raw;
    if (fstatfs(descriptor, &raw) != 0) return -1;
    return (int64_t)(uint32_t)raw.f_type;
}

static int byte_lock(int descriptor, int64_t offset, short kind) {
    struct flock request = {.l_type = kind, .l_whence = SEEK_SET, .l_start = offset, .l_len = 1, .l_pid = 0};
    return fcntl(descriptor, F_OFD_SETLK, &request);
}

int ccs_lock_byte(int descriptor, int64_t offset) { return byte_lock(descriptor, offset, F_WRLCK); }
int ccs_unlock_byte(int descriptor, int64_t offset) { return byte_lock(descriptor, offset, F_UNLCK); }

enum { child_slots = 1024 };
static volatile int child_closes[child_slots];
static pthread_mutex_t child_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t child_once = PTHREAD_ONCE_INIT;

static void before_fork(void) { pthread_mutex_lock(&child_mutex); }
static void after_fork_parent(void) { pthread_mutex_unlock(&child_mutex); }
static void after_fork_child(void) {
    for (int i = 0; i < child_slots; i++) {
        if (child_closes[i] > 0) close(child_closes[i] - 1);
        child_closes[i] = 0;
    }
    pthread_mutex_unlock(&child_mutex);
}
static void install_fork_handler(void) { pthread_atfork(before_fork, after_fork_parent, after_fork_child); }

// Slots hold the descriptor plus one, so that zeroed memory means empty.
void ccs_close_in_child(int descriptor) {
    pthread_once(&child_once, install_fork_handler);
    pthread_mutex_lock(&child_mutex);
    for (int i = 0; i < child_slots; i++) {
        if (child_closes[i] == 0) {
            child_closes[i] = descriptor + 1;
            break;
        }
    }
    pthread_mutex_unlock(&child_mutex);
}

void ccs_close(int descriptor) {
    // Under the mutex, so that no child is made between forgetting and closing: it would keep the lock for ever.
    pthread_mutex_lock(&child_mutex);
    for (int i = 0; i < child_slots; i++) {
        if (child_closes[i] == descriptor + 1) {
            child_closes[i] = 0;
            break;
        }
    }
    close(descriptor);
    pthread_mutex_unlock(&child_mutex);
}

int64_t ccs_coarse_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
