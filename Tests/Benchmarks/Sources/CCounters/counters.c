// Definitions in the executable go before those of the C library.
#define _GNU_SOURCE
#include "counters.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_long allocations, flushes;

long counted_allocations(void) { return atomic_load(&allocations); }
long counted_flushes(void) { return atomic_load(&flushes); }

// glibc's own, under the names that it keeps for programs with a malloc of theirs.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static void count(atomic_long *counter) { atomic_fetch_add_explicit(counter, 1, memory_order_relaxed); }

void *malloc(size_t size) {
    count(&allocations);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count(&allocations);
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    count(&allocations);
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count(&allocations);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    count(&allocations);
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}

typedef int (*flush)(int descriptor);

int fsync(int descriptor) {
    count(&flushes);
    return ((flush)dlsym(RTLD_NEXT, "fsync"))(descriptor);
}

int fdatasync(int descriptor) {
    count(&flushes);
    return ((flush)dlsym(RTLD_NEXT, "fdatasync"))(descriptor);
}
