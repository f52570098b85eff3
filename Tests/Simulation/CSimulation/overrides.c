// Definitions in the executable go before those of the C library, of libcrypto and of libdispatch.
#define _GNU_SOURCE
#include "CSimulation.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static _Thread_local bool on_simulator = false;
static int64_t now_nanoseconds = 0;
static int64_t wall_clock = 0;

void simulation_claim_thread(void) { on_simulator = true; }
bool simulation_is_on_its_thread(void) { return on_simulator; }
int64_t simulation_now(void) { return now_nanoseconds; }
void simulation_set_now(int64_t nanoseconds) { now_nanoseconds = nanoseconds; }
void simulation_set_wall_clock(int64_t nanoseconds) { wall_clock = nanoseconds; }

static void *next_definition(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

// MARK: Time

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!on_simulator) {
        static int (*_Atomic real)(clockid_t, struct timespec *);
        if (!real) real = (int (*)(clockid_t, struct timespec *))next_definition("clock_gettime");
        return real(clock, time);
    }
    // A monotonic clock does not begin at nought.
    int64_t value = now_nanoseconds + (clock == CLOCK_REALTIME ? wall_clock : INT64_C(1000000000000));
    time->tv_sec = value / 1000000000;
    time->tv_nsec = value % 1000000000;
    return 0;
}

// MARK: Chance

static uint64_t state[4];

static uint64_t rotated(uint64_t value, int bits) { return value << bits | value >> (64 - bits); }

static uint64_t next_random(void) {
    uint64_t result = rotated(state[1] * 5, 7) * 9, carried = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= carried;
    state[3] = rotated(state[3], 45);
    return result;
}

void simulation_seed_random(uint64_t seed) {
    for (int index = 0; index < 4; index++) {
        // splitmix64
        uint64_t mixed = seed += UINT64_C(0x9E3779B97F4A7C15);
        mixed = (mixed ^ mixed >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
        mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94D049BB133111EB);
        state[index] = mixed ^ mixed >> 31;
    }
}

void simulation_random_bytes(void *buffer, size_t count) {
    unsigned char *bytes = buffer;
    for (size_t index = 0; index < count; index += 8) {
        uint64_t value = next_random();
        memcpy(bytes + index, &value, count - index < 8 ? count - index : 8);
    }
}

ssize_t getrandom(void *buffer, size_t count, unsigned int flags) {
    if (!on_simulator) {
        static ssize_t (*_Atomic real)(void *, size_t, unsigned int);
        if (!real) real = (ssize_t(*)(void *, size_t, unsigned int))next_definition("getrandom");
        return real(buffer, count, flags);
    }
    simulation_random_bytes(buffer, count);
    return (ssize_t)count;
}

long syscall(long number, ...) {
    va_list arguments;
    va_start(arguments, number);
    long values[6];
    for (int index = 0; index < 6; index++) values[index] = va_arg(arguments, long);
    va_end(arguments);
    if (on_simulator && number == SYS_getrandom) return getrandom((void *)values[0], (size_t)values[1], 0);
    static long (*_Atomic real)(long, ...);
    if (!real) real = (long (*)(long, ...))next_definition("syscall");
    return real(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}

int RAND_bytes_ex(void *context, unsigned char *buffer, size_t count, unsigned int strength) {
    if (!on_simulator) {
        static int (*_Atomic real)(void *, unsigned char *, size_t, unsigned int);
        if (!real) real = (int (*)(void *, unsigned char *, size_t, unsigned int))next_definition("RAND_bytes_ex");
        return real(context, buffer, count, strength);
    }
    simulation_random_bytes(buffer, count);
    return 1;
}

// MARK: Queues

extern void *_Block_copy(const void *block);
extern void _Block_release(const void *block);
extern void dispatch_sync(void *queue, void *block);
extern void dispatch_retain(void *object);

typedef struct {
    void *queue;
    void **blocks;
    int first, count, room;
} waiting_queue;

static waiting_queue *queues = NULL;
static int queue_count = 0, queue_room = 0;

void dispatch_async(void *queue, void *block) {
    if (!on_simulator) {
        static void (*_Atomic real)(void *, void *);
        if (!real) real = (void (*)(void *, void *))next_definition("dispatch_async");
        real(queue, block);
        return;
    }
    int index = 0;
    while (index < queue_count && queues[index].queue != queue) index++;
    if (index == queue_count) {
        if (queue_count == queue_room) queues = realloc(queues, sizeof *queues * (size_t)(queue_room = queue_room * 2 + 4));
        queues[queue_count++] = (waiting_queue){.queue = queue};
        dispatch_retain(queue);
    }
    waiting_queue *waiting = &queues[index];
    if (waiting->first + waiting->count == waiting->room) {
        memmove(waiting->blocks, waiting->blocks + waiting->first, sizeof(void *) * (size_t)waiting->count);
        waiting->first = 0;
        if (waiting->count == waiting->room)
            waiting->blocks = realloc(waiting->blocks, sizeof(void *) * (size_t)(waiting->room = waiting->room * 2 + 4));
    }
    waiting->blocks[waiting->first + waiting->count++] = _Block_copy(block);
}

int simulation_queue_count(void) { return queue_count; }

int simulation_ready_queues(int *indices, int room) {
    int found = 0;
    for (int index = 0; index < queue_count && found < room; index++)
        if (queues[index].count > 0) indices[found++] = index;
    return found;
}

void simulation_run_queue(int index) {
    waiting_queue *waiting = &queues[index];
    void *queue = waiting->queue, *block = waiting->blocks[waiting->first++];
    waiting->count--;
    dispatch_sync(queue, block);
    _Block_release(block);
}

void simulation_drop_queues(void) {
    // The queues and blocks themselves stay in memory: releasing them would run what a dead process does not run.
    for (int index = 0; index < queue_count; index++) free(queues[index].blocks);
    queue_count = 0;
}
