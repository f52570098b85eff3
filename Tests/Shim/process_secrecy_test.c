/* What process_secrecy_begin() sets, each time in a process of its own. */
#define _GNU_SOURCE
#include "process_secrecy.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void caught(int number) {
    (void)number;
    _exit(1);
}

/* Whether a process with this value of the variable is closed (1), open (0), or something between (2). */
static int is_closed(const char *value) {
    pid_t child = fork();
    if (child == 0) {
        if (value == NULL) unsetenv(PROCESS_SECRECY_OFF);
        else setenv(PROCESS_SECRECY_OFF, value, 1);
        prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
        struct rlimit cores;
        getrlimit(RLIMIT_CORE, &cores);
        cores.rlim_cur = cores.rlim_max;
        setrlimit(RLIMIT_CORE, &cores);
        int had_cores = cores.rlim_max > 0;
        signal(SIGILL, caught);
        if (process_secrecy_begin() != 0) _exit(3);
        getrlimit(RLIMIT_CORE, &cores);
        struct sigaction action;
        sigaction(SIGILL, NULL, &action);
        int closed = (prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0) + (action.sa_handler == SIG_DFL);
        int has_cores = cores.rlim_max > 0;
        if (closed == 2 && !has_cores) _exit(1);
        _exit(closed == 0 && has_cores == had_cores ? 0 : 2);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return 4;
    return WEXITSTATUS(status);
}

int main(void) {
    int is_right = is_closed(NULL) == 1 && is_closed("") == 1 && is_closed("1") == 0;
    puts(is_right ? "the process keeps its memory to itself" : "the process does not keep its memory to itself");
    return !is_right;
}
