#define _GNU_SOURCE
#include "ccredentialshims.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static volatile unsigned char *fork_mark;
static pid_t fork_owner;

static void make_fork_mark(void) {
    fork_owner = getpid();
    void *page = mmap(NULL, ccs_page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return;
    if (madvise(page, ccs_page_size(), MADV_WIPEONFORK) != 0) {
        munmap(page, ccs_page_size());
        return;
    }
    fork_mark = page;
    *fork_mark = 1;
}

int ccs_same_process(void) {
    pthread_once(&fork_once, make_fork_mark);
    // Kernels without the advice pay one getpid a call.
    return fork_mark ? *fork_mark : getpid() == fork_owner;
}

unsigned ccs_thread_number(void) {
    static _Atomic unsigned next;
    static _Thread_local unsigned known;
    if (known == 0) known = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed) + 1;
    return known - 1;
}

size_t ccs_page_size(void) {
    static _Atomic size_t size;
    size_t known = atomic_load_explicit(&size, memory_order_relaxed);
    if (known == 0) {
        known = (size_t)sysconf(_SC_PAGESIZE);
        atomic_store_explicit(&size, known, memory_order_relaxed);
    }
    return known;
}

void *ccs_guarded_map(size_t length) {
    size_t page = ccs_page_size();
    unsigned char *whole = mmap(NULL, length + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (whole == MAP_FAILED) return NULL;
    if (mprotect(whole + page, length, PROT_READ | PROT_WRITE) != 0) {
        munmap(whole, length + 2 * page);
        return NULL;
    }
    madvise(whole + page, length, MADV_DONTDUMP);
    return whole + page;
}

void ccs_guarded_unmap(void *address, size_t length) {
    size_t page = ccs_page_size();
    ccs_wipe(address, length);
    munmap((unsigned char *)address - page, length + 2 * page);
}

int ccs_has_memory(size_t length) {
    void *start = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) return 0;
    munmap(start, length);
    return 1;
}

int ccs_lock_memory(void *address, size_t length) { return mlock(address, length); }

void ccs_wipe(void *address, size_t length) {
    if (length > 0) explicit_bzero(address, length);
}

int ccs_compare(const void *a, const void *b, size_t length) {
    const volatile unsigned char *left = a;
    const volatile unsigned char *right = b;
    unsigned char difference = 0;
    for (size_t i = 0; i < length; i++) difference |= left[i] ^ right[i];
    return difference;
}

int64_t ccs_first_nonzero(const void *bytes, size_t length) {
    const unsigned char *start = bytes;
    static const unsigned char zeros[256];
    size_t place = 0;
    while (length - place >= sizeof zeros && memcmp(start + place, zeros, sizeof zeros) == 0) place += sizeof zeros;
    while (place < length && start[place] == 0) place++;
    return (int64_t)place;
}

int64_t ccs_last_nonzero(const void *bytes, size_t length) {
    const unsigned char *start = bytes;
    static const unsigned char zeros[256];
    // A chunk at a time while there are only zeros; memcmp is fast in every build.
    while (length >= sizeof zeros && memcmp(start + length - sizeof zeros, zeros, sizeof zeros) == 0) {
        length -= sizeof zeros;
    }
    while (length > 0 && start[length - 1] == 0) length--;
    return (int64_t)length - 1;
}

int ccs_has_zero_block(const void *bytes, size_t length) {
    const unsigned char *start = bytes;
    static const unsigned char zeros[16];
    for (size_t place = 0; place + sizeof zeros <= length; place += sizeof zeros) {
        if (memcmp(start + place, zeros, sizeof zeros) == 0) return 1;
    }
    return 0;
}

int ccs_random(void *address, size_t length) {
    unsigned char *next = address;
    while (length > 0) {
        ssize_t drawn = getrandom(next, length, 0);
        if (drawn < 0) {
            if (errno == EINTR) continue;
            return -1;
        }
        next += drawn;
        length -= (size_t)drawn;
    }
    return 0;
}
