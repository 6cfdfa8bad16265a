#define _GNU_SOURCE
#include "ccredentialshims.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static int argument_count;
static char **argument_words;

// glibc hands the command line to constructors.
__attribute__((constructor)) static void keep_arguments(int count, char **words) {
    argument_count = count;
    argument_words = words;
}

int ccs_argument_count(void) { return argument_count; }
const char *ccs_argument(int index) { return argument_words[index]; }

int ccs_fill_standard_descriptors(void) {
    for (int wanted = 0; wanted <= 2; wanted++) {
        if (fcntl(wanted, F_GETFD) >= 0 || errno != EBADF) continue;
        // A descriptor that only names a place: every read and every write on it fails with EBADF. The lowest free
        // number is the wanted one, because those below it are open by now.
        if (open("/", O_PATH) != wanted) return -1;
    }
    return 0;
}

void ccs_quiet_signals(void) {
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGQUIT, SIGSYS};
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    // The language's crash reporter prints registers and the memory that they point to.
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++) {
        struct sigaction present;
        if (sigaction(crashes[i], NULL, &present) == 0 && present.sa_handler != SIG_IGN) signal(crashes[i], SIG_DFL);
    }
}

int64_t ccs_locked_memory_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return -1;
    return limit.rlim_cur == RLIM_INFINITY ? INT64_MAX : (int64_t)limit.rlim_cur;
}

int ccs_dumps_denied(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur <= 1;
}
