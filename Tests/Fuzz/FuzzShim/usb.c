/* libusb: a transfer is refused, ends at once, or flies until it is cancelled, as the input says. What it brings is the input's. */
#include "system.h"

#include <libusb-1.0/libusb.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define MOST_FLYING 2

struct libusb_context {
    int event;
};

struct libusb_device_handle {
    libusb_context *context;
};

static struct {
    struct libusb_transfer *transfer;
    int is_done;
} flying[MOST_FLYING];
static int transfers, contexts;

int usb_is_at_rest(void) {
    int is_at_rest = transfers == 0 && contexts == 0;
    for (size_t index = 0; index < MOST_FLYING; index++) is_at_rest = is_at_rest && flying[index].transfer == NULL;
    return is_at_rest;
}

static int make_context(libusb_context **context) {
    *context = calloc(1, sizeof **context);
    (*context)->event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    contexts++;
    return 0;
}

#if LIBUSB_API_VERSION >= 0x0100010A
int libusb_init_context(libusb_context **context, const struct libusb_init_option options[], int count) {
    return (void)options, (void)count, make_context(context);
}
#else
int libusb_init(libusb_context **context) { return make_context(context); }
int libusb_set_option(libusb_context *context, enum libusb_option option, ...) { return (void)context, (void)option, 0; }
#endif

void libusb_exit(libusb_context *context) {
    close(context->event);
    free(context);
    contexts--;
}

int libusb_wrap_sys_device(libusb_context *context, intptr_t descriptor, libusb_device_handle **handle) {
    (void)descriptor;
    *handle = calloc(1, sizeof **handle);
    (*handle)->context = context;
    return 0;
}

void libusb_close(libusb_device_handle *handle) { free(handle); }

struct libusb_transfer *libusb_alloc_transfer(int packets) {
    (void)packets;
    transfers++;
    return calloc(1, sizeof(struct libusb_transfer));
}

void libusb_free_transfer(struct libusb_transfer *transfer) {
    for (size_t index = 0; index < MOST_FLYING; index++) REQUIRE(flying[index].transfer != transfer);
    free(transfer);
    transfers--;
}

void libusb_set_pollfd_notifiers(libusb_context *context, libusb_pollfd_added_cb added, libusb_pollfd_removed_cb removed, void *user) {
    (void)context, (void)added, (void)removed, (void)user;
}

const struct libusb_pollfd **libusb_get_pollfds(libusb_context *context) {
    struct {
        const struct libusb_pollfd *list[2];
        struct libusb_pollfd entry;
    } *all = calloc(1, sizeof *all);
    all->entry = (struct libusb_pollfd){.fd = context->event, .events = 1};
    all->list[0] = &all->entry;
    return all->list;
}

void libusb_free_pollfds(const struct libusb_pollfd **list) { free((void *)list); }

/* 0, or one of libusb's errors. */
static int refusal(void) {
    uint8_t kind = input_byte();
    return kind < 0xF0 ? 0 : -(kind & 0x0F);
}

int libusb_claim_interface(libusb_device_handle *handle, int number) { return (void)handle, (void)number, refusal(); }
int libusb_release_interface(libusb_device_handle *handle, int number) { return (void)handle, (void)number, refusal(); }
int libusb_clear_halt(libusb_device_handle *handle, unsigned char endpoint) { return (void)handle, (void)endpoint, refusal(); }

/* Brings at most what was asked for, as the kernel does. */
static void end(size_t index, enum libusb_transfer_status status) {
    struct libusb_transfer *transfer = flying[index].transfer;
    int is_control = transfer->type == LIBUSB_TRANSFER_TYPE_CONTROL;
    size_t setup = is_control ? LIBUSB_CONTROL_SETUP_SIZE : 0, room = (size_t)transfer->length - setup;
    int is_in = ((is_control ? transfer->buffer[0] : transfer->endpoint) & LIBUSB_ENDPOINT_IN) != 0;
    size_t wanted = (size_t)input_byte() << 4, count = wanted < room ? wanted : room;
    transfer->actual_length = (int)(is_in ? input_bytes(transfer->buffer + setup, count) : count);
    transfer->status = status;
    flying[index].is_done = 1;
    eventfd_write(transfer->dev_handle->context->event, 1);
}

int libusb_submit_transfer(struct libusb_transfer *transfer) {
    int refused = refusal();
    if (refused != 0) return refused;
    size_t index = flying[0].transfer == NULL ? 0 : 1;
    REQUIRE(flying[index].transfer == NULL);
    flying[index].transfer = transfer;
    flying[index].is_done = 0;
    uint8_t kind = input_byte();
    if (kind < 0xE0) end(index, kind < 0xC0 ? LIBUSB_TRANSFER_COMPLETED : (enum libusb_transfer_status)(kind % 7));
    return 0;
}

int libusb_cancel_transfer(struct libusb_transfer *transfer) {
    for (size_t index = 0; index < MOST_FLYING; index++)
        if (flying[index].transfer == transfer && !flying[index].is_done)
            end(index, input_byte() & 1 ? LIBUSB_TRANSFER_COMPLETED : LIBUSB_TRANSFER_CANCELLED);
    return refusal();
}

int libusb_handle_events_timeout_completed(libusb_context *context, struct timeval *limit, int *completed) {
    (void)limit, (void)completed;
    eventfd_t value;
    (void)eventfd_read(context->event, &value);
    for (size_t index = 0; index < MOST_FLYING; index++) {
        struct libusb_transfer *transfer = flying[index].transfer;
        if (transfer == NULL || !flying[index].is_done) continue;
        flying[index].transfer = NULL;
        transfer->callback(transfer);
    }
    return 0;
}
