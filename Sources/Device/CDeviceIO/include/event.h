#ifndef CDEVICEIO_EVENT_H
#define CDEVICEIO_EVENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CDIO_NEVER INT64_MAX

/* Nanoseconds of CLOCK_MONOTONIC. */
int64_t cdio_now(void);

/* An event: a descriptor that is readable once it was signalled and until it is cleared. To be closed with close(2). */
int cdio_event_create(void);
int cdio_event_signal(int event);
int cdio_event_clear(int event);

/* Waits until a descriptor of `descriptors` can be read (or `count` is 0 and time or cancellation ends the wait); gives its index. A descriptor that
   hangs up can be read. */
int cdio_wait_readable(const int *descriptors, size_t count, int cancel, int64_t deadline);

/* Waits until the descriptor can be written. */
int cdio_wait_writable(int descriptor, int cancel, int64_t deadline);

/* Opens a device node for reading and writing, not blocking, not inherited, no controlling terminal. */
int cdio_open(const char *path);

/* Reads what is there, at least one byte, at most `capacity`; 0 means that the other side has closed. The descriptor must not block. */
ssize_t cdio_read(int descriptor, uint8_t *buffer, size_t capacity, int cancel, int64_t deadline);

/* Writes everything, and gives `count`. The descriptor must not block. */
ssize_t cdio_write(int descriptor, const uint8_t *bytes, size_t count, int cancel, int64_t deadline);

/* Takes the advisory lock (flock) that keeps a second program of this library away: 0 or -EWOULDBLOCK. */
int cdio_lock(int descriptor);

/* Gives the lock back, also where a copy of the descriptor stays open. */
void cdio_unlock(int descriptor);

/* The calling thread's name, at most 15 characters. */
void cdio_name_thread(const char *name);

#endif
