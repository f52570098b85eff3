/* The shim's waits over pipes, sockets and pseudoterminals. No device, no time is measured: a wait that should not end would hang, and the alarm ends it. */
#define _GNU_SOURCE
#include "CDeviceIO.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define LARGE (256 * 1024)

static int failures;

#define EXPECT(condition)                                                                                                                            \
    do {                                                                                                                                             \
        if (!(condition)) {                                                                                                                          \
            fprintf(stderr, "Tests/Shim/test.c:%d: %s\n", __LINE__, #condition);                                                                     \
            failures++;                                                                                                                              \
        }                                                                                                                                            \
    } while (0)

static void close_both(const int pair[2]) {
    close(pair[0]);
    close(pair[1]);
}

static void events(void) {
    int event = cdio_event_create();
    EXPECT(event >= 0);
    EXPECT(cdio_wait_readable(&event, 1, -1, 0) == -ETIMEDOUT);
    EXPECT(cdio_event_signal(event) == 0);
    EXPECT(cdio_event_signal(event) == 0);
    EXPECT(cdio_wait_readable(&event, 1, -1, CDIO_NEVER) == 0);
    EXPECT(cdio_wait_readable(NULL, 0, event, CDIO_NEVER) == -ECANCELED);
    EXPECT(cdio_event_clear(event) == 0);
    EXPECT(cdio_event_clear(event) == 0);
    EXPECT(cdio_wait_readable(NULL, 0, event, cdio_now() + 1000000) == -ETIMEDOUT);
    /* What cancels goes before what has come in. */
    int ready = cdio_event_create();
    cdio_event_signal(ready);
    cdio_event_signal(event);
    EXPECT(cdio_wait_readable(&ready, 1, event, CDIO_NEVER) == -ECANCELED);
    close(ready);
    close(event);
    EXPECT(cdio_event_signal(-1) == -EBADF);
}

static void which_is_ready(void) {
    int pipes[3][2], readers[3];
    for (size_t index = 0; index < 3; index++) {
        EXPECT(pipe2(pipes[index], O_NONBLOCK) == 0);
        readers[index] = pipes[index][0];
    }
    EXPECT(write(pipes[2][1], "x", 1) == 1);
    EXPECT(cdio_wait_readable(readers, 3, -1, CDIO_NEVER) == 2);
    close(pipes[1][1]);
    EXPECT(cdio_wait_readable(readers, 3, -1, CDIO_NEVER) == 1);
    int many[16];
    for (size_t index = 0; index < 16; index++) many[index] = readers[0];
    EXPECT(cdio_wait_readable(many, 15, -1, 0) == -ETIMEDOUT);
    EXPECT(cdio_wait_readable(many, 16, -1, 0) == -EINVAL);
    close(pipes[1][0]);
    close_both(pipes[0]);
    close_both(pipes[2]);
}

static void reading(void) {
    int ends[2];
    uint8_t bytes[8] = {0};
    EXPECT(pipe2(ends, O_NONBLOCK) == 0);
    EXPECT(cdio_read(ends[0], bytes, sizeof bytes, -1, 0) == -ETIMEDOUT);
    EXPECT(write(ends[1], "abcdefghij", 10) == 10);
    EXPECT(cdio_read(ends[0], bytes, sizeof bytes, -1, 0) == 8 && memcmp(bytes, "abcdefgh", 8) == 0);
    EXPECT(cdio_read(ends[0], bytes, sizeof bytes, -1, CDIO_NEVER) == 2);
    close(ends[1]);
    EXPECT(cdio_read(ends[0], bytes, sizeof bytes, -1, CDIO_NEVER) == 0);
    close(ends[0]);
    EXPECT(cdio_read(ends[0], bytes, sizeof bytes, -1, CDIO_NEVER) == -EBADF);
}

struct drain {
    int descriptor;
    size_t count;
    int is_in_order;
};

static void *drained(void *context) {
    struct drain *drain = context;
    uint8_t bytes[1000];
    ssize_t count;
    drain->is_in_order = 1;
    while ((count = cdio_read(drain->descriptor, bytes, sizeof bytes, -1, CDIO_NEVER)) > 0)
        for (ssize_t index = 0; index < count; index++)
            if (bytes[index] != (uint8_t)(drain->count++ * 7)) drain->is_in_order = 0;
    return NULL;
}

/* More than any buffer holds, so that it goes in pieces. */
static void writing(int ends[2]) {
    uint8_t *bytes = malloc(LARGE);
    for (size_t index = 0; index < LARGE; index++) bytes[index] = (uint8_t)(index * 7);
    struct drain drain = {.descriptor = ends[0]};
    pthread_t reader;
    EXPECT(pthread_create(&reader, NULL, drained, &drain) == 0);
    EXPECT(cdio_write(ends[1], bytes, LARGE, -1, CDIO_NEVER) == LARGE);
    EXPECT(cdio_write(ends[1], bytes, 0, -1, 0) == 0);
    close(ends[1]);
    pthread_join(reader, NULL);
    EXPECT(drain.count == LARGE && drain.is_in_order);
    free(bytes);
    close(ends[0]);
}

static void writing_without_reader(int ends[2], int event) {
    uint8_t *bytes = calloc(1, LARGE * 8);
    EXPECT(cdio_write(ends[1], bytes, LARGE * 8, -1, cdio_now() + 1000000) == -ETIMEDOUT);
    cdio_event_signal(event);
    EXPECT(cdio_write(ends[1], bytes, LARGE * 8, event, CDIO_NEVER) == -ECANCELED);
    cdio_event_clear(event);
    close(ends[0]);
    EXPECT(cdio_write(ends[1], bytes, 1, -1, CDIO_NEVER) == -ECONNRESET);
    close(ends[1]);
    free(bytes);
}

static void *signalled(void *context) {
    cdio_event_signal(*(int *)context);
    return NULL;
}

static void ignored(int number) { (void)number; }

static void *interrupted(void *context) {
    int *values = context;
    struct timespec pause = {0, 1000000};
    /* The waiting thread is the first one; its wait goes on after a signal. */
    for (int round = 0; round < 20; round++) {
        kill(getpid(), SIGUSR1);
        nanosleep(&pause, NULL);
    }
    cdio_event_signal(values[0]);
    return NULL;
}

static void cancelling(void) {
    int ends[2], event = cdio_event_create();
    uint8_t byte;
    EXPECT(pipe2(ends, O_NONBLOCK) == 0);
    for (int round = 0; round < 200; round++) {
        pthread_t other;
        EXPECT(pthread_create(&other, NULL, signalled, &event) == 0);
        EXPECT(cdio_read(ends[0], &byte, 1, event, CDIO_NEVER) == -ECANCELED);
        pthread_join(other, NULL);
        cdio_event_clear(event);
    }
    struct sigaction action = {.sa_handler = ignored};
    sigaction(SIGUSR1, &action, NULL);
    pthread_t other;
    EXPECT(pthread_create(&other, NULL, interrupted, &event) == 0);
    EXPECT(cdio_read(ends[0], &byte, 1, event, CDIO_NEVER) == -ECANCELED);
    pthread_join(other, NULL);
    close_both(ends);
    close(event);
}

static void terminal(void) {
    int device = posix_openpt(O_RDWR | O_NOCTTY);
    EXPECT(device >= 0 && grantpt(device) == 0 && unlockpt(device) == 0);
    char name[64];
    EXPECT(ptsname_r(device, name, sizeof name) == 0);
    int port = cdio_open(name);
    EXPECT(port >= 0 && fcntl(port, F_GETFD) & FD_CLOEXEC);
    EXPECT(cdio_lock(port) == 0);
    int second = cdio_open(name);
    EXPECT(second >= 0 && cdio_lock(second) == -EWOULDBLOCK);
    close(second);
    struct cdio_line line = {.rate = 10753, .parity = CDIO_PARITY_NONE, .stop = 2};
    EXPECT(cdio_tty_configure(port, &line) == 0);
    /* Raw: nothing is echoed, changed or waited for. */
    uint8_t all[256], back[256];
    for (size_t index = 0; index < sizeof all; index++) all[index] = (uint8_t)index;
    EXPECT(write(device, all, sizeof all) == (ssize_t)sizeof all);
    size_t got = 0;
    while (got < sizeof all) {
        ssize_t count = cdio_read(port, back + got, sizeof back - got, -1, CDIO_NEVER);
        EXPECT(count > 0);
        if (count <= 0) break;
        got += (size_t)count;
    }
    EXPECT(memcmp(all, back, sizeof all) == 0);
    EXPECT(write(device, all, 3) == 3 && cdio_tty_flush(port) == 0);
    EXPECT(cdio_read(port, back, sizeof back, -1, 0) == -ETIMEDOUT);
    uint32_t lines = 0;
    EXPECT(cdio_tty_lines(port, &lines) < 0);
    close(device);
    EXPECT(cdio_read(port, back, sizeof back, -1, CDIO_NEVER) <= 0);
    EXPECT(cdio_write(port, all, 1, -1, CDIO_NEVER) < 0);
    close(port);
    EXPECT(cdio_open("/dev/there-is-none") == -ENOENT);
}

/* Calls for other kinds of devices, with the bounds that they check themselves. */
static void wrong_devices(void) {
    int ends[2];
    uint8_t bytes[16] = {0};
    EXPECT(pipe2(ends, O_NONBLOCK) == 0);
    struct cdio_hid_information information;
    struct cdio_line line = {.rate = 9600};
    EXPECT(cdio_hid_information(ends[0], &information) == -ENOTTY);
    EXPECT(cdio_hid_report_descriptor(ends[0], bytes, sizeof bytes) == -ENOTTY);
    EXPECT(cdio_hid_get_feature(ends[0], bytes, 0) == -EINVAL);
    EXPECT(cdio_hid_set_feature(ends[0], bytes, 4097) == -EINVAL);
    EXPECT(cdio_tty_configure(ends[0], &line) == -ENOTTY);
    EXPECT(cdio_printer_identity(ends[0], bytes, sizeof bytes) == -ENOTTY);
    EXPECT(cdio_tcp_connect(bytes, 5, 0, 80, -1, CDIO_NEVER) == -EINVAL);
    EXPECT(cdio_unix_connect((const uint8_t *)"/nowhere", 8, -1, CDIO_NEVER) == -ENOENT);
    EXPECT(cdio_unix_connect((const uint8_t *)"", 0, -1, CDIO_NEVER) == -ENAMETOOLONG);
    uint8_t long_path[108] = {'/'};
    EXPECT(cdio_unix_connect(long_path, sizeof long_path, -1, CDIO_NEVER) == -ENAMETOOLONG);
    struct cdio_usb *usb = NULL;
    EXPECT(cdio_usb_open("/dev/there-is-none", &usb) == -ENOENT && usb == NULL);
    EXPECT(cdio_usb_open("/dev/null", &usb) < 0 && usb == NULL);
    close_both(ends);
}

static int counted(const struct cdio_device *device, void *context) {
    EXPECT(memchr(device->path, 0, sizeof device->path) != NULL && device->path[0] == '/');
    (*(int *)context)++;
    return 0;
}

static void hot_plug(void) {
    struct cdio_monitor *monitor = NULL;
    struct cdio_device device;
    EXPECT(cdio_monitor_open(&monitor) == 0);
    if (monitor == NULL) return;
    EXPECT(cdio_monitor_descriptor(monitor) >= 0);
    EXPECT(cdio_monitor_next(monitor, &device) >= 0);
    cdio_monitor_close(monitor);
    cdio_monitor_close(NULL);
    int count = 0;
    EXPECT(cdio_list_devices(counted, &count) == 0 && count >= 0);
}

/* A listener of the abstract namespace that takes one connection into its queue, and a second one only when somebody accepts: the wait for it ends. */
static void full_listener(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "cardpresent-shim-%d", getpid()) + 1;
    int listener = socket(AF_UNIX, SOCK_STREAM, 0), event = cdio_event_create();
    EXPECT(bind(listener, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)length)) == 0);
    EXPECT(listen(listener, 0) == 0);
    const uint8_t *name = (const uint8_t *)address.sun_path;
    int first = cdio_unix_connect(name, (size_t)length, -1, CDIO_NEVER);
    EXPECT(first >= 0);
    EXPECT(cdio_unix_connect(name, (size_t)length, -1, cdio_now() + 30000000) == -ETIMEDOUT);
    cdio_event_signal(event);
    EXPECT(cdio_unix_connect(name, (size_t)length, event, CDIO_NEVER) == -ECANCELED);
    close(first);
    close(listener);
    close(event);
}

int main(void) {
    alarm(60);
    events();
    which_is_ready();
    reading();
    int ends[2], event = cdio_event_create();
    EXPECT(pipe2(ends, O_NONBLOCK) == 0);
    writing(ends);
    EXPECT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
    writing(ends);
    /* A pipe without reader raises SIGPIPE, which the shim keeps away from sockets only. */
    EXPECT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
    writing_without_reader(ends, event);
    close(event);
    cancelling();
    terminal();
    wrong_devices();
    full_listener();
    hot_plug();
    if (failures == 0) puts("the shim does what it says");
    return failures > 0;
}
