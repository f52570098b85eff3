/* The shim over a system that answers what libFuzzer makes up: each text and number stays in its bounds, nothing is written behind the caller's
   memory, and what was opened is given back. */
#define _GNU_SOURCE
#include "CDeviceIO.h"
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *start, size_t count);

/* Memory of exactly this size, so that the sanitizer sees each byte behind it. */
static uint8_t *room(size_t size) {
    uint8_t *memory = malloc(size == 0 ? 1 : size);
    REQUIRE(memory != NULL);
    memset(memory, 0xA5, size);
    return memory;
}

/* A text with its end, and nothing of an earlier one behind it. */
static void check_text(const char *text, size_t size) {
    const char *end = memchr(text, 0, size);
    REQUIRE(end != NULL);
    for (; end < text + size; end++) REQUIRE(*end == 0);
}

static void check_device(const struct cdio_device *device) {
    check_text(device->subsystem, sizeof device->subsystem);
    check_text(device->node, sizeof device->node);
    check_text(device->path, sizeof device->path);
    check_text(device->usb_path, sizeof device->usb_path);
    check_text(device->interface, sizeof device->interface);
    check_text(device->interfaces, sizeof device->interfaces);
    check_text(device->maker, sizeof device->maker);
    check_text(device->model, sizeof device->model);
    check_text(device->serial, sizeof device->serial);
    check_text(device->driver, sizeof device->driver);
    REQUIRE(strcmp(device->subsystem, "tty") != 0 || strstr(device->path, "/virtual/") == NULL);
}

static int visited(const struct cdio_device *device, void *context) {
    check_device(device);
    REQUIRE(device->change == CDIO_PRESENT);
    return ++*(int *)context == 100;
}

static void list_devices(void) {
    int count = 0;
    int status = cdio_list_devices(visited, &count);
    REQUIRE(count <= 100 && (status == 0 || count == 100));
}

static void hear_of_devices(void) {
    struct cdio_monitor *monitor = NULL;
    REQUIRE(cdio_monitor_open(&monitor) == 0);
    struct cdio_device *device = (struct cdio_device *)room(sizeof *device);
    int status;
    while ((status = cdio_monitor_next(monitor, device)) == 1) {
        check_device(device);
        REQUIRE(device->change == CDIO_ADDED || device->change == CDIO_REMOVED);
    }
    REQUIRE(status == 0 || status == -ENOBUFS);
    free(device);
    cdio_monitor_close(monitor);
}

static char node[64];

static void remove_node(void) { unlink(node); }

static void transfer(struct cdio_usb *usb) {
    uint8_t kind = input_byte();
    size_t length = (size_t)input_byte() << (kind & 0x08 ? 9 : 0);
    uint8_t endpoint = kind & 0x10 ? 0x82 : 0x02;
    uint8_t *data = room(length);
    ssize_t result = 0;
    switch (kind & 7) {
    case 0: result = cdio_usb_claim(usb, kind); break;
    case 1: result = cdio_usb_control(usb, endpoint & 0x80, kind, 0, 0, data, (uint16_t)(length & 0xFFFF), -1, 0); break;
    case 2: result = cdio_usb_bulk(usb, endpoint, data, length, -1, 0); break;
    case 3: result = cdio_usb_bulk_or_heard(usb, 0x82, data, length, -1, 0); break;
    case 4: result = cdio_usb_listen(usb, 0x81, length); break;
    case 5: result = cdio_usb_heard(usb, data, length); break;
    case 6: result = cdio_usb_driver(usb, 0, (char *)data, length);
        REQUIRE(result != 0 || memchr(data, 0, length) != NULL);
        break;
    default: result = cdio_usb_clear_halt(usb, endpoint);
    }
    REQUIRE(result <= (ssize_t)length && result > -4096);
    free(data);
}

static void use_usb(void) {
    struct cdio_usb *usb = NULL;
    REQUIRE(cdio_usb_open(node, &usb) == 0);
    while (!input_is_empty()) transfer(usb);
    cdio_usb_close(usb);
    REQUIRE(usb_is_at_rest());
}

/* A file of /dev/bus/usb is read from its beginning, whole or as far as there is room. */
static void read_descriptors(const uint8_t *bytes, size_t count) {
    char path[] = "/tmp/cardpresent-fuzz-XXXXXX";
    int file = mkstemp(path);
    REQUIRE(file >= 0 && write(file, bytes, count) == (ssize_t)count);
    struct cdio_usb *usb = NULL;
    REQUIRE(cdio_usb_open(path, &usb) == 0);
    size_t capacity = count == 0 ? 0 : (size_t)bytes[0] * 8, expected = count < capacity ? count : capacity;
    uint8_t *buffer = room(capacity);
    REQUIRE(cdio_usb_descriptors(usb, buffer, capacity) == (ssize_t)expected);
    REQUIRE(expected == 0 || memcmp(buffer, bytes, expected) == 0);
    free(buffer);
    cdio_usb_close(usb);
    close(file);
    unlink(path);
}

static void ask_hid(void) {
    while (!input_is_empty()) {
        uint8_t kind = input_byte();
        size_t capacity = (size_t)input_byte() * 17;
        uint8_t *buffer = room(capacity);
        struct cdio_hid_information information;
        ssize_t result;
        switch (kind % 4) {
        case 0: result = cdio_hid_information(0, &information); break;
        case 1: result = cdio_hid_report_descriptor(0, buffer, capacity); break;
        case 2: result = cdio_hid_get_feature(0, buffer, capacity); break;
        default: result = cdio_hid_set_feature(0, buffer, capacity);
        }
        REQUIRE(result <= (ssize_t)capacity && result > -4096);
        free(buffer);
    }
}

static void ask_tty(void) {
    struct cdio_line line = {.rate = input_word(), .parity = input_byte() % 3, .stop = (uint8_t)(1 + input_byte() % 2), .hang_up = input_byte() & 1};
    int status = cdio_tty_configure(0, &line);
    REQUIRE(status <= 0 && status > -4096);
    uint32_t lines = 0;
    if (cdio_tty_lines(0, &lines) == 0) REQUIRE(lines < 0x20);
    REQUIRE(cdio_tty_set_lines(0, input_byte(), input_byte()) <= 0);
}

/* The keys of what was typed, in its order; a cut event ends it. */
static void ask_printer(void) {
    size_t capacity = input_byte();
    uint8_t *buffer = room(capacity);
    ssize_t count = cdio_printer_identity(0, buffer, capacity);
    REQUIRE(count <= (ssize_t)capacity);
    free(buffer);
}

static void read_keys(const uint8_t *bytes, size_t count) {
    int ends[2];
    REQUIRE(pipe2(ends, O_NONBLOCK | O_CLOEXEC) == 0 && write(ends[1], bytes, count) == (ssize_t)count);
    close(ends[1]);
    struct cdio_key *key = (struct cdio_key *)room(sizeof *key);
    size_t at = 0;
    int status;
    while ((status = cdio_input_next(ends[0], key, -1, CDIO_NEVER)) == 0) {
        struct input_event event;
        do {
            REQUIRE(at + sizeof event <= count);
            memcpy(&event, bytes + at, sizeof event);
            at += sizeof event;
        } while (event.type != EV_KEY && !(event.type == EV_SYN && event.code == SYN_DROPPED));
        REQUIRE(key->code == event.code && key->state == (event.value & 3) && key->is_lost == (event.type == EV_SYN));
    }
    REQUIRE(status == (count % sizeof(struct input_event) == 0 ? -ENODEV : -EPROTO));
    free(key);
    close(ends[0]);
}

static void ask_service(void) {
    struct cdio_pcsc *pcsc = NULL;
    if (cdio_pcsc_open(NULL, &pcsc) != 0) {
        REQUIRE(pcsc == NULL);
        return;
    }
    while (!input_is_empty()) {
        uint8_t kind = input_byte();
        size_t capacity = input_byte(), length = (size_t)-1;
        uint8_t *buffer = room(capacity), *atr = room(CDIO_PCSC_ATR);
        uint32_t status = 0, protocol = 0, before = kind, state = before;
        switch (kind % 5) {
        case 0: status = cdio_pcsc_readers(pcsc, (char *)buffer, capacity, &length); break;
        case 1:
            status = cdio_pcsc_connect(pcsc, "reader", &protocol, atr, &length);
            capacity = CDIO_PCSC_ATR;
            if (status != 0) length = 0;
            break;
        case 2: status = cdio_pcsc_transmit(pcsc, 2, (const uint8_t *)"\0\xA4", 2, buffer, capacity, &length); break;
        case 3: status = cdio_pcsc_control(pcsc, 1, (const uint8_t *)"", 0, buffer, capacity, &length); break;
        default:
            status = cdio_pcsc_wait(pcsc, "reader", 0, &state);
            REQUIRE(status == 0 || state == before);
            length = 0;
        }
        REQUIRE(length <= capacity && (status == 0 || length == 0));
        free(buffer);
        free(atr);
    }
    cdio_pcsc_close(pcsc);
}

int LLVMFuzzerTestOneInput(const uint8_t *start, size_t count) {
    if (node[0] == 0) {
        snprintf(node, sizeof node, "/tmp/cardpresent-fuzz-node-%d", getpid());
        REQUIRE(mkfifo(node, 0600) == 0 && atexit(remove_node) == 0);
    }
    if (count == 0) return 0;
    input_begin(start + 1, count - 1);
    switch (start[0] % 9) {
    case 0: list_devices(); break;
    case 1: hear_of_devices(); break;
    case 2: use_usb(); break;
    case 3: read_descriptors(start + 1, count - 1); break;
    case 4: ask_hid(); break;
    case 5: ask_tty(); break;
    case 6: read_keys(start + 1, count - 1); break;
    case 7: ask_printer(); break;
    default: ask_service();
    }
    input_begin(NULL, 0);
    return 0;
}
