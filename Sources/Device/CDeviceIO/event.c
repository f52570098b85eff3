#define _GNU_SOURCE
#include "event.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define NANOSECONDS 1000000000LL
#define MAXIMUM_WATCHED 15

int64_t cdio_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * NANOSECONDS + now.tv_nsec;
}

int cdio_event_create(void) {
    int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return event < 0 ? -errno : event;
}

int cdio_event_signal(int event) {
    return eventfd_write(event, 1) == 0 || errno == EAGAIN ? 0 : -errno;
}

int cdio_event_clear(int event) {
    eventfd_t value;
    return eventfd_read(event, &value) == 0 || errno == EAGAIN ? 0 : -errno;
}

/* Polls until one of the first `count` entries has something or the last one, the cancelling event, does. */
static int wait_for(struct pollfd *entries, size_t count, int cancel, int64_t deadline) {
    entries[count] = (struct pollfd){.fd = cancel, .events = POLLIN};
    for (;;) {
        struct timespec rest = {0, 0};
        struct timespec *limit = NULL;
        if (deadline != CDIO_NEVER) {
            int64_t left = deadline - cdio_now();
            if (left > 0) rest = (struct timespec){.tv_sec = left / NANOSECONDS, .tv_nsec = left % NANOSECONDS};
            limit = &rest;
        }
        int ready = ppoll(entries, (nfds_t)(count + 1), limit, NULL);
        if (ready < 0 && errno == EINTR) continue;
        if (ready < 0) return -errno;
        if (entries[count].revents != 0) return -ECANCELED;
        for (size_t index = 0; index < count; index++)
            if (entries[index].revents != 0) return (int)index;
        if (ready == 0) return -ETIMEDOUT;
    }
}

int cdio_wait_readable(const int *descriptors, size_t count, int cancel, int64_t deadline) {
    struct pollfd entries[MAXIMUM_WATCHED + 1];
    if (count > MAXIMUM_WATCHED) return -EINVAL;
    for (size_t index = 0; index < count; index++) entries[index] = (struct pollfd){.fd = descriptors[index], .events = POLLIN};
    return wait_for(entries, count, cancel, deadline);
}

int cdio_wait_writable(int descriptor, int cancel, int64_t deadline) {
    struct pollfd entries[2] = {{.fd = descriptor, .events = POLLOUT}};
    return wait_for(entries, 1, cancel, deadline);
}

int cdio_open(const char *path) {
    int descriptor;
    do descriptor = open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    while (descriptor < 0 && errno == EINTR);
    return descriptor < 0 ? -errno : descriptor;
}

/* A connection that the kernel has given up says ETIMEDOUT: here that is the deadline's word. */
static int lost(int error) {
    return error == EPIPE || error == ETIMEDOUT ? ECONNRESET : error;
}

ssize_t cdio_read(int descriptor, uint8_t *buffer, size_t capacity, int cancel, int64_t deadline) {
    for (;;) {
        int ready = cdio_wait_readable(&descriptor, 1, cancel, deadline);
        if (ready < 0) return ready;
        ssize_t count = read(descriptor, buffer, capacity);
        if (count >= 0) return count;
        if (errno != EAGAIN && errno != EINTR) return -lost(errno);
    }
}

/* The number of bytes, or a negative errno. A socket whose other side has closed is not a reason for a signal. */
static ssize_t write_some(int descriptor, const uint8_t *bytes, size_t count) {
    ssize_t part = send(descriptor, bytes, count, MSG_NOSIGNAL);
    if (part >= 0) return part;
    if (errno != ENOTSOCK) return -lost(errno);
    /* Of hidraw, EPIPE and ETIMEDOUT are about the report: refused, or not taken in time. */
    part = write(descriptor, bytes, count);
    return part >= 0 ? part : -errno;
}

ssize_t cdio_write(int descriptor, const uint8_t *bytes, size_t count, int cancel, int64_t deadline) {
    size_t written = 0;
    while (written < count) {
        int ready = cdio_wait_writable(descriptor, cancel, deadline);
        if (ready < 0) return ready;
        ssize_t part = write_some(descriptor, bytes + written, count - written);
        if (part >= 0) written += (size_t)part;
        else if (part != -EAGAIN && part != -EINTR) return part;
    }
    return (ssize_t)written;
}

int cdio_lock(int descriptor) {
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : -errno;
}

void cdio_unlock(int descriptor) {
    (void)flock(descriptor, LOCK_UN);
}

void cdio_name_thread(const char *name) {
    pthread_setname_np(pthread_self(), name);
}
