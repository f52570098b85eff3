// Makes writes and flushes of the journal's files fail, or kills the process at one of them. Preloaded into
// crash-lane, before libsqlite3, which reaches the disk through these functions.
//
// DISK_FAULT_COUNT  file that gets the number of operations at the end
// DISK_FAULT_AT     number of the operation, from 1; 0 for none
// DISK_FAULT_KIND   eio, enospc, short (half of a write is carried out, then EIO), kill
// DISK_FAULT_ONLY_FLUSHES  counts no writes
// DISK_FAULT_SPAN   once, all (this one and all after it)
//
// Counted are operations on files called journal.sqlite…, from when the file "armed" is beside them.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_long operations;

static int is_counted(int descriptor) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    char *name = strrchr(path, '/');
    if (!name || strncmp(name, "/journal.sqlite", 15) != 0) return 0;
    strcpy(name, "/armed");
    return access(path, F_OK) == 0;
}

// Returns 0 to go on, else the error; *is_short tells that half of a write is to be carried out.
static int fault(int descriptor, int *is_short) {
    if (!is_counted(descriptor)) return 0;
    if (is_short && getenv("DISK_FAULT_ONLY_FLUSHES")) return 0;
    long number = atomic_fetch_add(&operations, 1) + 1;
    const char *at = getenv("DISK_FAULT_AT"), *kind = getenv("DISK_FAULT_KIND"), *span = getenv("DISK_FAULT_SPAN");
    long first = at ? atol(at) : 0;
    if (first == 0 || !kind || number < first) return 0;
    if (number > first && (!span || strcmp(span, "all") != 0)) return 0;
    if (strcmp(kind, "kill") == 0) kill(getpid(), SIGKILL);
    if (is_short && strcmp(kind, "short") == 0) *is_short = 1;
    return strcmp(kind, "enospc") == 0 ? ENOSPC : EIO;
}

__attribute__((destructor)) static void tell(void) {
    const char *path = getenv("DISK_FAULT_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld\n", atomic_load(&operations));
    fclose(file);
}

#define WRITER(name, offset_type)                                                                       \
    ssize_t name(int descriptor, const void *bytes, size_t count, offset_type offset) {                 \
        static ssize_t (*next)(int, const void *, size_t, offset_type);                                 \
        if (!next) next = dlsym(RTLD_NEXT, #name);                                                      \
        int is_short = 0, error = fault(descriptor, &is_short);                                         \
        if (is_short) next(descriptor, bytes, count / 2, offset);                                       \
        if (!error) return next(descriptor, bytes, count, offset);                                      \
        errno = error;                                                                                  \
        return -1;                                                                                      \
    }

#define FLUSHER(name)                                                                                   \
    int name(int descriptor) {                                                                          \
        static int (*next)(int);                                                                        \
        if (!next) next = dlsym(RTLD_NEXT, #name);                                                      \
        int error = fault(descriptor, NULL);                                                            \
        if (!error) return next(descriptor);                                                            \
        errno = error;                                                                                  \
        return -1;                                                                                      \
    }

WRITER(pwrite, off_t)
WRITER(pwrite64, off64_t)
FLUSHER(fsync)
FLUSHER(fdatasync)
