#define _GNU_SOURCE
#include "reference.h"

#include <fcntl.h>
#include <malloc.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

extern char **environ;

static long microseconds(const struct rusage *usage) {
    return usage->ru_utime.tv_sec * 1000000 + usage->ru_utime.tv_usec + usage->ru_stime.tv_sec * 1000000 + usage->ru_stime.tv_usec;
}

/// The program's status at its end; negative if it could not be run or was killed.
static int run(const char *path, const char *const *arguments, struct rusage *usage) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    pid_t child;
    int failed = posix_spawn(&child, path, &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) return -1;
    int status;
    if (wait4(child, &status, 0, usage) != child || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
}

long reference_process_cost(const char *path, const char *const *arguments) {
    struct rusage usage;
    return run(path, arguments, &usage) == 0 ? microseconds(&usage) : -1;
}

long reference_process_memory(const char *path, const char *const *arguments, long *kilobytes) {
    struct rusage usage;
    int status = run(path, arguments, &usage);
    // 127 is posix_spawn's, where the program does not exist.
    if (status < 0 || status == 127) return -1;
    *kilobytes = usage.ru_maxrss;
    return microseconds(&usage);
}

size_t reference_allocated(void) {
    struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
}

size_t reference_heap(void) {
    struct mallinfo2 heap = mallinfo2();
    return heap.arena + heap.hblkhd;
}

long reference_own_cost(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? microseconds(&usage) : -1;
}
