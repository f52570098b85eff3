#define _GNU_SOURCE
#include "process_secrecy.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>

/* Signals that the Swift runtime catches to print a backtrace. It reads SWIFT_BACKTRACE before main and has no call to change
   what it read, so its handlers are taken away. */
static const int crashes[] = {SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};

int process_secrecy_without_reports(void) {
    for (size_t index = 0; index < sizeof crashes / sizeof crashes[0]; index++) {
        const struct sigaction normal = {.sa_handler = SIG_DFL};
        if (sigaction(crashes[index], &normal, NULL) < 0) return -errno;
    }
    return 0;
}

int process_secrecy_begin(void) {
    const char *off = getenv(PROCESS_SECRECY_OFF);
    if (off != NULL && off[0] != 0) return 0;
    const struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) < 0) return -errno;
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0) return -errno;
    return process_secrecy_without_reports();
}
