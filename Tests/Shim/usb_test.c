/* The shim's USB transfers over a libusb that is made here: cancellations that are refused or come late, and what is left in
   memory. The address sanitizer's leak check looks at the end for what a close has lost. */
#define _GNU_SOURCE
#include "CDeviceIO.h"

#include <errno.h>
#include <libusb-1.0/libusb.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPECT(condition)                                                                  \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            fprintf(stderr, "Tests/Shim/usb_test.c:%d: %s\n", __LINE__, #condition);       \
            failures++;                                                                    \
        }                                                                                  \
    } while (0)

static int failures;

/* Track 2 of EMVCo's published test card. */
static const char canary[] = ";4761739001010119=22122011143804400000?";
#define CANARY (sizeof canary - 1)

static int has_canary(const void *memory, size_t count) {
    return memory != NULL && memmem(memory, count, canary, CANARY) != NULL;
}

void __real_free(void *memory);
void __wrap_free(void *memory);

/* Every free of the shim comes here (ld's --wrap). */
void __wrap_free(void *memory) {
    EXPECT(!has_canary(memory, memory == NULL ? 0 : malloc_usable_size(memory)));
    __real_free(memory);
}

/* The libusb of this test: transfers fly until they have an answer, or are cancelled and handed back. */

#define MOST_FLYING 2

struct libusb_context {
    int event;
    struct libusb_transfer *flying[MOST_FLYING];
    enum libusb_transfer_status status[MOST_FLYING];
    int is_returned[MOST_FLYING];
};

struct libusb_device_handle {
    libusb_context *context;
};

static struct {
    int cancellation;          /* what libusb_cancel_transfer answers */
    int is_held;               /* cancelled transfers do not come back */
    int is_late;               /* they come back with what the device had just sent */
    int is_flood;              /* an interrupt endpoint always has something */
    int answers;               /* so many transfers are answered at once with the canary */
    int contexts, transfers;   /* there are */
    libusb_context *context;   /* the last one made */
    const uint8_t *last;       /* buffer of the last transfer */
    size_t last_count;
} fake;

int libusb_set_option(libusb_context *context, enum libusb_option option, ...) {
    (void)context, (void)option;
    return 0;
}

static int make_context(libusb_context **context) {
    *context = calloc(1, sizeof **context);
    (*context)->event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    fake.contexts++;
    fake.context = *context;
    return 0;
}

#if LIBUSB_API_VERSION >= 0x0100010A
int libusb_init_context(libusb_context **context, const struct libusb_init_option options[], int count) {
    (void)options, (void)count;
    return make_context(context);
}
#else
int libusb_init(libusb_context **context) {
    return make_context(context);
}
#endif

void libusb_exit(libusb_context *context) {
    close(context->event);
    free(context);
    fake.contexts--;
}

int libusb_wrap_sys_device(libusb_context *context, intptr_t descriptor, libusb_device_handle **handle) {
    (void)descriptor;
    *handle = calloc(1, sizeof **handle);
    (*handle)->context = context;
    return 0;
}

void libusb_close(libusb_device_handle *handle) {
    free(handle);
}

struct libusb_transfer *libusb_alloc_transfer(int packets) {
    (void)packets;
    fake.transfers++;
    return calloc(1, sizeof(struct libusb_transfer));
}

void libusb_free_transfer(struct libusb_transfer *transfer) {
    free(transfer);
    fake.transfers--;
}

void libusb_set_pollfd_notifiers(
    libusb_context *context, libusb_pollfd_added_cb added, libusb_pollfd_removed_cb removed, void *user) {
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

void libusb_free_pollfds(const struct libusb_pollfd **list) {
    free((void *)list);
}

int libusb_claim_interface(libusb_device_handle *handle, int number) {
    (void)handle, (void)number;
    return 0;
}

int libusb_release_interface(libusb_device_handle *handle, int number) {
    (void)handle, (void)number;
    return 0;
}

int libusb_clear_halt(libusb_device_handle *handle, unsigned char endpoint) {
    (void)handle, (void)endpoint;
    return 0;
}

static void hand_back(libusb_context *context, size_t index, enum libusb_transfer_status status) {
    context->is_returned[index] = 1;
    context->status[index] = status;
    eventfd_write(context->event, 1);
}

int libusb_submit_transfer(struct libusb_transfer *transfer) {
    libusb_context *context = transfer->dev_handle->context;
    size_t index = context->flying[0] == NULL ? 0 : 1;
    context->flying[index] = transfer;
    context->is_returned[index] = 0;
    fake.last = transfer->buffer;
    fake.last_count = (size_t)transfer->length;
    int is_answered = fake.answers > 0;
    if (is_answered) fake.answers--;
    if (is_answered || (fake.is_flood && transfer->type == LIBUSB_TRANSFER_TYPE_INTERRUPT)) {
        size_t setup = transfer->type == LIBUSB_TRANSFER_TYPE_CONTROL ? LIBUSB_CONTROL_SETUP_SIZE : 0;
        if (transfer->endpoint & LIBUSB_ENDPOINT_IN || setup > 0) memcpy(transfer->buffer + setup, canary, CANARY);
        transfer->actual_length = CANARY;
        hand_back(context, index, LIBUSB_TRANSFER_COMPLETED);
    }
    return 0;
}

int libusb_cancel_transfer(struct libusb_transfer *transfer) {
    libusb_context *context = transfer->dev_handle->context;
    enum libusb_transfer_status status =
        fake.cancellation == LIBUSB_ERROR_NO_DEVICE ? LIBUSB_TRANSFER_NO_DEVICE
        : fake.is_late ? LIBUSB_TRANSFER_COMPLETED : LIBUSB_TRANSFER_CANCELLED;
    transfer->actual_length = 0;
    for (size_t index = 0; index < MOST_FLYING; index++)
        if (context->flying[index] == transfer && !fake.is_held) hand_back(context, index, status);
    return fake.cancellation;
}

int libusb_handle_events_timeout_completed(libusb_context *context, struct timeval *limit, int *completed) {
    (void)limit, (void)completed;
    eventfd_t value;
    (void)eventfd_read(context->event, &value);
    for (size_t index = 0; index < MOST_FLYING; index++) {
        struct libusb_transfer *transfer = context->flying[index];
        if (transfer == NULL || !context->is_returned[index]) continue;
        context->flying[index] = NULL;
        transfer->status = context->status[index];
        transfer->callback(transfer);
    }
    return 0;
}

/* The tests. */

static char node[64];

static struct cdio_usb *opened(void) {
    struct cdio_usb *usb = NULL;
    EXPECT(cdio_usb_open(node, &usb) == 0 && cdio_usb_claim(usb, 0) == 0);
    return usb;
}

static void closed(struct cdio_usb *usb) {
    cdio_usb_close(usb);
    EXPECT(fake.contexts == 0 && fake.transfers == 0);
}

/* As the kernel answers for one that is under way, one that has just ended, and one of a reader that was unplugged. */
static const int cancellations[] = {0, LIBUSB_ERROR_NOT_FOUND, LIBUSB_ERROR_NO_DEVICE};

static void closing_while_listening(void) {
    for (size_t index = 0; index < sizeof cancellations / sizeof cancellations[0]; index++) {
        fake.cancellation = cancellations[index];
        struct cdio_usb *usb = opened();
        EXPECT(cdio_usb_listen(usb, 0x81, 8) == 0);
        closed(usb);
    }
}

/* A report that came in just before its transfer was cancelled: the transfer is not submitted once more. */
static void closing_as_it_speaks(void) {
    fake.cancellation = 0;
    fake.is_late = 1;
    struct cdio_usb *usb = opened();
    EXPECT(cdio_usb_listen(usb, 0x81, 8) == 0);
    closed(usb);
    fake.is_late = 0;
}

/* A device that never stops to speak holds neither a call behind its deadline nor a close. */
static void flooding(void) {
    uint8_t bytes[64];
    fake.cancellation = 0;
    struct cdio_usb *usb = opened();
    fake.is_flood = 1;
    EXPECT(cdio_usb_listen(usb, 0x81, sizeof bytes) == 0);
    EXPECT(cdio_usb_bulk(usb, 0x83, bytes, sizeof bytes, -1, cdio_now() + 1000000) == -ETIMEDOUT);
    closed(usb);
    fake.is_flood = 0;
}

static void cancelling(void) {
    uint8_t bytes[64];
    for (size_t index = 0; index < sizeof cancellations / sizeof cancellations[0]; index++) {
        fake.cancellation = cancellations[index];
        struct cdio_usb *usb = opened();
        ssize_t count = cdio_usb_bulk(usb, 0x83, bytes, sizeof bytes, -1, cdio_now() + 1000000);
        EXPECT(count == (fake.cancellation == LIBUSB_ERROR_NO_DEVICE ? -ENODEV : -ETIMEDOUT));
        fake.answers = 1;
        EXPECT(cdio_usb_bulk(usb, 0x83, bytes, sizeof bytes, -1, CDIO_NEVER) == CANARY);
        closed(usb);
    }
}

/* A transfer that comes back long after its call: the device can be used from then on, and closed. */
static void coming_late(int is_used) {
    uint8_t bytes[64];
    fake.cancellation = 0;
    fake.is_held = 1;
    struct cdio_usb *usb = opened();
    EXPECT(cdio_usb_bulk(usb, 0x83, bytes, sizeof bytes, -1, cdio_now() + 1000000) == -ETIMEDOUT);
    EXPECT(cdio_usb_bulk(usb, 0x83, bytes, sizeof bytes, -1, CDIO_NEVER) == -EIO);
    fake.is_held = 0;
    hand_back(fake.context, 0, LIBUSB_TRANSFER_CANCELLED);
    if (is_used) {
        fake.answers = 1;
        EXPECT(cdio_usb_bulk(usb, 0x83, bytes, sizeof bytes, -1, CDIO_NEVER) == CANARY);
    }
    closed(usb);
}

static void wiping(void) {
    uint8_t bytes[64];
    fake.cancellation = 0;
    struct cdio_usb *usb = opened();
    fake.answers = 1;
    EXPECT(cdio_usb_bulk(usb, 0x83, bytes, sizeof bytes, -1, CDIO_NEVER) == CANARY && has_canary(bytes, sizeof bytes));
    EXPECT(!has_canary(fake.last, fake.last_count));
    fake.answers = 1;
    EXPECT(cdio_usb_bulk(usb, 0x02, bytes, CANARY, -1, CDIO_NEVER) == CANARY);
    EXPECT(!has_canary(fake.last, fake.last_count));
    fake.answers = 1;
    EXPECT(cdio_usb_control(usb, 0xA1, 3, 0, 0, bytes, sizeof bytes, -1, CDIO_NEVER) == CANARY);
    EXPECT(!has_canary(fake.last, fake.last_count));
    fake.answers = 1;
    EXPECT(cdio_usb_listen(usb, 0x81, sizeof bytes) == 0);
    EXPECT(cdio_usb_heard(usb, bytes, sizeof bytes) == CANARY && has_canary(bytes, sizeof bytes));
    EXPECT(!has_canary(fake.last, fake.last_count));
    EXPECT(!has_canary(usb, malloc_usable_size(usb)));
    closed(usb);
    /* One report that nobody takes. */
    usb = opened();
    fake.answers = 1;
    EXPECT(cdio_usb_listen(usb, 0x81, sizeof bytes) == 0);
    EXPECT(cdio_wait_readable((const int[]){cdio_usb_descriptor(usb)}, 1, -1, CDIO_NEVER) == 0);
    closed(usb);
}

int main(void) {
    alarm(60);
    char folder[] = "/tmp/cardpresent-usb-XXXXXX";
    if (mkdtemp(folder) == NULL) return 1;
    snprintf(node, sizeof node, "%s/node", folder);
    EXPECT(mkfifo(node, 0600) == 0);
    closing_while_listening();
    closing_as_it_speaks();
    flooding();
    cancelling();
    coming_late(1);
    coming_late(0);
    wiping();
    unlink(node);
    rmdir(folder);
    if (failures == 0) puts("the shim gives USB transfers back and wipes what they held");
    return failures > 0;
}
