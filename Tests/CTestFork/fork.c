#include "ctestfork.h"

#include <sys/wait.h>
#include <unistd.h>

int ctf_run_in_child(int (*body)(void), unsigned seconds) {
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        // A child that hangs is ended by the alarm, and the parent sees that it did not end by itself.
        alarm(seconds);
        _exit(body());
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
}
