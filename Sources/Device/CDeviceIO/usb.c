#define _GNU_SOURCE
#include "usb.h"

#include "event.h"

#include <errno.h>
#include <libusb-1.0/libusb.h>
#include <linux/usbdevice_fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define KEPT_REPORTS 16
#define LARGEST_REPORT 64
#define BUFFER_SIZE (CDIO_USB_LARGEST + LIBUSB_CONTROL_SETUP_SIZE)
/* How long the kernel may take to hand back a transfer that was cancelled. */
#define CANCELLATION_LIMIT 1000000000LL
/* How often a node is looked at that cannot be waited for. */
#define LOOK 1000000LL

struct report {
    size_t length;
    uint8_t bytes[LARGEST_REPORT];
};

struct cdio_usb {
    int node;
    int events; /* an epoll of all that libusb waits for */
    int is_plain; /* the node is a plain file, as test beds have it, which no epoll takes */
    libusb_context *context;
    libusb_device_handle *handle;
    uint32_t claimed;

    /* The transfer that a call waits for. */
    struct libusb_transfer *transfer;
    uint8_t *buffer;
    int is_pending; /* after the call too if a cancelled transfer has not come back: its memory must stay */

    /* The interrupt endpoint's. */
    struct libusb_transfer *listener;
    uint8_t heard[LARGEST_REPORT];
    int is_listening;
    int is_gone;
    int is_closing; /* what comes in is not asked for again */
    int listening_error; /* why the interrupt endpoint is no longer read */
    struct report reports[KEPT_REPORTS];
    size_t first_report, report_count;
};

static int error_of(int status) {
    switch (status) {
    case LIBUSB_ERROR_ACCESS: return -EACCES;
    case LIBUSB_ERROR_NO_DEVICE: return -ENODEV;
    case LIBUSB_ERROR_NOT_FOUND: return -ENOENT;
    case LIBUSB_ERROR_BUSY: return -EBUSY;
    case LIBUSB_ERROR_TIMEOUT: return -ETIMEDOUT;
    case LIBUSB_ERROR_OVERFLOW: return -EOVERFLOW;
    case LIBUSB_ERROR_PIPE: return -EPIPE;
    case LIBUSB_ERROR_NO_MEM: return -ENOMEM;
    case LIBUSB_ERROR_INVALID_PARAM: return -EINVAL;
    default: return status < 0 ? -EIO : 0;
    }
}

static int transfer_error(enum libusb_transfer_status status) {
    switch (status) {
    case LIBUSB_TRANSFER_COMPLETED: return 0;
    case LIBUSB_TRANSFER_NO_DEVICE: return -ENODEV;
    case LIBUSB_TRANSFER_STALL: return -EPIPE;
    case LIBUSB_TRANSFER_OVERFLOW: return -EOVERFLOW;
    case LIBUSB_TRANSFER_CANCELLED: return -ECANCELED;
    case LIBUSB_TRANSFER_TIMED_OUT: return -ETIMEDOUT;
    default: return -EIO;
    }
}

static void handle_events(struct cdio_usb *usb) {
    struct timeval none = {0, 0};
    (void)libusb_handle_events_timeout_completed(usb->context, &none, NULL);
}

/* The device's own descriptor is given up by libusb when the device is gone; watched on, it would wake us for ever. */
static void unwatch(int descriptor, void *context) {
    struct cdio_usb *usb = context;
    (void)epoll_ctl(usb->events, EPOLL_CTL_DEL, descriptor, NULL);
    if (descriptor == usb->node) usb->is_gone = 1;
}

static int watch(struct cdio_usb *usb) {
    usb->events = epoll_create1(EPOLL_CLOEXEC);
    if (usb->events < 0) return -errno;
    libusb_set_pollfd_notifiers(usb->context, NULL, unwatch, usb);
    const struct libusb_pollfd **list = libusb_get_pollfds(usb->context);
    if (list == NULL) return -ENOMEM;
    int status = 0;
    for (size_t index = 0; list[index] != NULL && status == 0; index++) {
        struct epoll_event event = {.events = (list[index]->events & 1 ? EPOLLIN : 0u) | (list[index]->events & 4 ? EPOLLOUT : 0u)};
        if (epoll_ctl(usb->events, EPOLL_CTL_ADD, list[index]->fd, &event) == 0) continue;
        if (errno == EPERM && list[index]->fd == usb->node)
            usb->is_plain = 1;
        else
            status = -errno;
    }
    libusb_free_pollfds(list);
    return status;
}

int cdio_usb_open(const char *node, struct cdio_usb **result) {
    int descriptor = cdio_open(node);
    if (descriptor < 0) return descriptor;
    struct cdio_usb *usb = calloc(1, sizeof *usb);
    if (usb == NULL) {
        close(descriptor);
        return -ENOMEM;
    }
    usb->node = descriptor;
    usb->events = -1;
    /* Without discovery libusb starts no thread and looks at no other device: udev tells us what there is. */
#if LIBUSB_API_VERSION >= 0x0100010A
    struct libusb_init_option options[] = {{.option = LIBUSB_OPTION_NO_DEVICE_DISCOVERY}};
    int status = error_of(libusb_init_context(&usb->context, options, 1));
#else
    int status = error_of(libusb_set_option(NULL, LIBUSB_OPTION_NO_DEVICE_DISCOVERY));
    if (status == 0) status = error_of(libusb_init(&usb->context));
#endif
    if (status == 0) status = error_of(libusb_wrap_sys_device(usb->context, (intptr_t)descriptor, &usb->handle));
    if (status == 0) {
        usb->transfer = libusb_alloc_transfer(0);
        usb->listener = libusb_alloc_transfer(0);
        usb->buffer = malloc(BUFFER_SIZE);
        status = usb->transfer == NULL || usb->listener == NULL || usb->buffer == NULL ? -ENOMEM : watch(usb);
    }
    if (status < 0) {
        cdio_usb_close(usb);
        return status;
    }
    *result = usb;
    return 0;
}

/* Lets libusb work until `flag` is 0, or `ends_when_heard` and the interrupt endpoint has something. A device that always has
   something to say is not heard beyond the deadline. */
static int settle(struct cdio_usb *usb, const int *flag, int ends_when_heard, int cancel, int64_t deadline) {
    while (*flag) {
        if (ends_when_heard && usb->report_count > 0) return -EINTR;
        int64_t look = cdio_now() + LOOK;
        int is_looked_at = usb->is_plain && look < deadline;
        int ready = cdio_wait_readable(&usb->events, 1, cancel, is_looked_at ? look : deadline);
        if (ready < 0 && !(is_looked_at && ready == -ETIMEDOUT)) return ready;
        handle_events(usb);
        if (*flag && !is_looked_at && deadline != CDIO_NEVER && cdio_now() >= deadline) return -ETIMEDOUT;
    }
    return 0;
}

/* Cancels a transfer and waits until it has come back, which makes `flag` 0.

   A refusal is not a reason not to wait. With LIBUSB_ERROR_NOT_FOUND and LIBUSB_ERROR_NO_DEVICE the kernel no longer works on the
   transfer, and libusb hands it back with the next events. */
static int call_back(struct cdio_usb *usb, struct libusb_transfer *transfer, const int *flag) {
    (void)libusb_cancel_transfer(transfer);
    return settle(usb, flag, 0, -1, cdio_now() + CANCELLATION_LIMIT);
}

void cdio_usb_close(struct cdio_usb *usb) {
    if (usb == NULL) return;
    usb->is_closing = 1;
    if (usb->is_pending) handle_events(usb);
    if (usb->is_listening) (void)call_back(usb, usb->listener, &usb->is_listening);
    if (usb->is_listening || usb->is_pending) {
        /* The kernel still has a transfer of ours: what it may write to stays where it is, and the descriptor with it. */
        return;
    }
    for (uint8_t interface = 0; interface < 32; interface++)
        if (usb->claimed >> interface & 1u) (void)libusb_release_interface(usb->handle, interface);
    if (usb->transfer != NULL) libusb_free_transfer(usb->transfer);
    if (usb->listener != NULL) libusb_free_transfer(usb->listener);
    if (usb->handle != NULL) libusb_close(usb->handle);
    /* Which gives up its descriptors, and tells unwatch of each. */
    if (usb->context != NULL) libusb_exit(usb->context);
    if (usb->events >= 0) close(usb->events);
    close(usb->node);
    if (usb->buffer != NULL) explicit_bzero(usb->buffer, BUFFER_SIZE);
    free(usb->buffer);
    explicit_bzero(usb, sizeof *usb);
    free(usb);
}

ssize_t cdio_usb_descriptors(const struct cdio_usb *usb, uint8_t *buffer, size_t capacity) {
    size_t total = 0;
    while (total < capacity) {
        ssize_t count = pread(usb->node, buffer + total, capacity - total, (off_t)total);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return -errno;
        if (count == 0) break;
        total += (size_t)count;
    }
    return (ssize_t)total;
}

int cdio_usb_claim(struct cdio_usb *usb, uint8_t interface) {
    if (interface >= 32) return -EINVAL;
    int status = error_of(libusb_claim_interface(usb->handle, interface));
    if (status == 0) usb->claimed |= 1u << interface;
    return status;
}

int cdio_usb_driver(const struct cdio_usb *usb, uint8_t interface, char *name, size_t capacity) {
    struct usbdevfs_getdriver driver = {.interface = interface};
    if (ioctl(usb->node, USBDEVFS_GETDRIVER, &driver) < 0) return -errno;
    size_t length = strnlen(driver.driver, sizeof driver.driver);
    if (capacity == 0) return -EINVAL;
    if (length >= capacity) length = capacity - 1;
    memcpy(name, driver.driver, length);
    name[length] = 0;
    return 0;
}

static void finished(struct libusb_transfer *transfer) {
    struct cdio_usb *usb = transfer->user_data;
    usb->is_pending = 0;
    if (transfer->status == LIBUSB_TRANSFER_NO_DEVICE) usb->is_gone = 1;
}

/* Takes card data out of the buffer, unless the kernel still has it. */
static void wipe(struct cdio_usb *usb, size_t count) {
    if (!usb->is_pending) explicit_bzero(usb->buffer, count);
}

/* Whether an earlier call's transfer is still with the kernel. */
static int is_occupied(struct cdio_usb *usb) {
    if (!usb->is_pending) return 0;
    handle_events(usb);
    wipe(usb, BUFFER_SIZE);
    return usb->is_pending;
}

/* Submits usb->transfer and waits for it. */
static int perform(struct cdio_usb *usb, int ends_when_heard, int cancel, int64_t deadline) {
    usb->is_pending = 1;
    int status = error_of(libusb_submit_transfer(usb->transfer));
    if (status < 0) {
        usb->is_pending = 0;
        return status;
    }
    int waited = settle(usb, &usb->is_pending, ends_when_heard, cancel, deadline);
    if (waited < 0) {
        if (call_back(usb, usb->transfer, &usb->is_pending) < 0) return waited;
        /* It may have come to its end just then. */
        int is_part = waited == -EINTR && usb->transfer->actual_length > 0;
        if (usb->transfer->status == LIBUSB_TRANSFER_CANCELLED) return is_part ? 0 : waited;
    }
    return transfer_error(usb->transfer->status);
}

ssize_t cdio_usb_control(
    struct cdio_usb *usb, uint8_t type, uint8_t request, uint16_t value, uint16_t index, uint8_t *data, uint16_t length, int cancel,
    int64_t deadline) {
    if (is_occupied(usb)) return -EIO;
    libusb_fill_control_setup(usb->buffer, type, request, value, index, length);
    int is_in = (type & LIBUSB_ENDPOINT_IN) != 0;
    if (!is_in && length > 0) memcpy(usb->buffer + LIBUSB_CONTROL_SETUP_SIZE, data, length);
    libusb_fill_control_transfer(usb->transfer, usb->handle, usb->buffer, finished, usb, 0);
    int status = perform(usb, 0, cancel, deadline);
    size_t count = (size_t)usb->transfer->actual_length;
    if (status == 0 && is_in && count > 0) memcpy(data, usb->buffer + LIBUSB_CONTROL_SETUP_SIZE, count);
    wipe(usb, LIBUSB_CONTROL_SETUP_SIZE + (size_t)length);
    return status < 0 ? status : (ssize_t)count;
}

static ssize_t bulk(
    struct cdio_usb *usb, uint8_t endpoint, uint8_t *data, size_t length, int ends_when_heard, int cancel, int64_t deadline) {
    if (is_occupied(usb)) return -EIO;
    if (length > CDIO_USB_LARGEST) return -EMSGSIZE;
    int is_in = (endpoint & LIBUSB_ENDPOINT_IN) != 0;
    if (!is_in && length > 0) memcpy(usb->buffer, data, length);
    libusb_fill_bulk_transfer(usb->transfer, usb->handle, endpoint, usb->buffer, (int)length, finished, usb, 0);
    int status = perform(usb, ends_when_heard, cancel, deadline);
    size_t count = (size_t)usb->transfer->actual_length;
    if (status == 0 && is_in && count > 0) memcpy(data, usb->buffer, count);
    /* The kernel has written no more than `count` bytes. */
    wipe(usb, is_in ? count : length);
    return status < 0 ? status : (ssize_t)count;
}

ssize_t cdio_usb_bulk(struct cdio_usb *usb, uint8_t endpoint, uint8_t *data, size_t length, int cancel, int64_t deadline) {
    return bulk(usb, endpoint, data, length, 0, cancel, deadline);
}

ssize_t cdio_usb_bulk_or_heard(struct cdio_usb *usb, uint8_t endpoint, uint8_t *data, size_t length, int cancel, int64_t deadline) {
    return bulk(usb, endpoint, data, length, 1, cancel, deadline);
}

static void heard(struct libusb_transfer *transfer) {
    struct cdio_usb *usb = transfer->user_data;
    usb->is_listening = 0;
    if (transfer->status == LIBUSB_TRANSFER_NO_DEVICE) usb->is_gone = 1;
    if (transfer->status != LIBUSB_TRANSFER_COMPLETED) {
        usb->listening_error = transfer_error(transfer->status);
        return;
    }
    size_t length = (size_t)transfer->actual_length;
    if (length > 0 && usb->report_count < KEPT_REPORTS) {
        struct report *report = &usb->reports[(usb->first_report + usb->report_count) % KEPT_REPORTS];
        report->length = length;
        memcpy(report->bytes, usb->heard, length);
        usb->report_count++;
    }
    explicit_bzero(usb->heard, sizeof usb->heard);
    if (usb->is_closing) return;
    int status = error_of(libusb_submit_transfer(transfer));
    usb->is_listening = status == 0;
    usb->listening_error = status;
}

int cdio_usb_listen(struct cdio_usb *usb, uint8_t endpoint, size_t length) {
    if (usb->is_listening) return -EALREADY;
    if (length == 0 || length > LARGEST_REPORT) return -EINVAL;
    libusb_fill_interrupt_transfer(usb->listener, usb->handle, endpoint, usb->heard, (int)length, heard, usb, 0);
    int status = error_of(libusb_submit_transfer(usb->listener));
    if (status == 0) usb->is_listening = 1;
    usb->listening_error = status;
    return status;
}

ssize_t cdio_usb_heard(struct cdio_usb *usb, uint8_t *buffer, size_t capacity) {
    handle_events(usb);
    if (usb->report_count > 0) {
        struct report *report = &usb->reports[usb->first_report];
        size_t count = report->length < capacity ? report->length : capacity;
        memcpy(buffer, report->bytes, count);
        explicit_bzero(report, sizeof *report);
        usb->first_report = (usb->first_report + 1) % KEPT_REPORTS;
        usb->report_count--;
        return (ssize_t)count;
    }
    return usb->is_gone ? -ENODEV : usb->listening_error;
}

int cdio_usb_clear_halt(struct cdio_usb *usb, uint8_t endpoint) {
    return error_of(libusb_clear_halt(usb->handle, endpoint));
}

int cdio_usb_descriptor(const struct cdio_usb *usb) {
    return usb->events;
}
