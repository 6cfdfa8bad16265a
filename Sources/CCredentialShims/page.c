#define _GNU_SOURCE
#include "ccredentialshims.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>

// A page whose file was emptied raises SIGBUS when it is read. The handler puts a page of zeros in its place, and
// leaves every other fault to who had the signal before.

enum { most_pages = 64 };
static _Atomic(uintptr_t) pages[most_pages];
static struct sigaction former;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_ready;

static int replace(uintptr_t address) {
    if (address == 0) return 0;
    for (int place = 0; place < most_pages; place++) {
        if (atomic_load_explicit(&pages[place], memory_order_acquire) != address) continue;
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
        return mmap((void *)address, ccs_page_size(), PROT_READ, flags, -1, 0) != MAP_FAILED;
    }
    return 0;
}

static void on_fault(int number, siginfo_t *information, void *context) {
    // A positive code is the kernel's: a fault, not somebody's kill.
    int is_fault = information->si_code > 0;
    if (is_fault && replace((uintptr_t)information->si_addr & ~(uintptr_t)(ccs_page_size() - 1))) return;
    if (former.sa_flags & SA_SIGINFO) {
        former.sa_sigaction(number, information, context);
    } else if (former.sa_handler == SIG_DFL || (former.sa_handler == SIG_IGN && is_fault)) {
        // The fault happens once more, or the signal is sent once more, and ends the process as it would have.
        sigaction(number, &former, NULL);
        if (!is_fault) raise(number);
    } else if (former.sa_handler != SIG_IGN) {
        former.sa_handler(number);
    }
}

static void install(void) {
    struct sigaction own = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (sigaction(SIGBUS, NULL, &former) != 0) return;
    own.sa_mask = former.sa_mask;
    is_ready = sigaction(SIGBUS, &own, NULL) == 0;
}

const void *ccs_map_page(int descriptor) {
    pthread_once(&once, install);
    if (!is_ready) return NULL;
    void *page = mmap(NULL, ccs_page_size(), PROT_READ, MAP_SHARED, descriptor, 0);
    if (page == MAP_FAILED) return NULL;
    for (int place = 0; place < most_pages; place++) {
        uintptr_t none = 0;
        if (atomic_compare_exchange_strong(&pages[place], &none, (uintptr_t)page)) return page;
    }
    munmap(page, ccs_page_size());
    return NULL;
}

void ccs_unmap_page(const void *page) {
    for (int place = 0; place < most_pages; place++) {
        uintptr_t known = (uintptr_t)page;
        if (atomic_compare_exchange_strong(&pages[place], &known, 0)) break;
    }
    munmap((void *)page, ccs_page_size());
}

uint64_t ccs_load_word(const void *page) {
    return atomic_load_explicit((const _Atomic uint64_t *)page, memory_order_acquire);
}
