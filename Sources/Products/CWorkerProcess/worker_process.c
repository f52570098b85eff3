#define _GNU_SOURCE
#include "worker_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder has a link for itself, one for its parent, and one for each thread (proc(5)). */
static int has_other_threads(void) {
    struct stat threads;
    return stat("/proc/self/task", &threads) == 0 && threads.st_nlink > 3;
}

static int prepare_copy(pid_t parent) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || getppid() != parent) return -1;
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    return nowhere < 0 ? -1 : dup2(nowhere, STDERR_FILENO);
}

pid_t worker_process_start(int *answers) {
    int ends[2];
    if (has_other_threads()) return -EBUSY;
    if (pipe2(ends, O_CLOEXEC) < 0) return -errno;
    const pid_t parent = getpid();
    const pid_t copy = fork();
    const int error = errno;
    if (copy == 0 && prepare_copy(parent) < 0) _exit(1);
    *answers = ends[copy == 0];
    close(ends[copy != 0]);
    if (copy >= 0) return copy;
    close(*answers);
    return -error;
}
