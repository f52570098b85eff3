/* ioctl of hidraw, usbfs and terminals (ld's --wrap), and a PC/SC service. */
#include "system.h"

#include <asm/termbits.h>
#include <errno.h>
#include <linux/hidraw.h>
#include <linux/serial.h>
#include <linux/usbdevice_fs.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>

int __real_ioctl(int descriptor, unsigned long request, ...);
int __wrap_ioctl(int descriptor, unsigned long request, ...);

int __wrap_ioctl(int descriptor, unsigned long request, ...) {
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    (void)descriptor;
    if (input_byte() == 0xFF) {
        errno = input_byte();
        if (errno == 0) errno = EIO;
        return -1;
    }
    if (request == HIDIOCGRDESCSIZE) {
        int size = (int)input_word();
        memcpy(argument, &size, sizeof size);
        return 0;
    }
    if (request == HIDIOCGRDESC) {
        /* As the kernel: no more than was asked for. */
        struct hidraw_report_descriptor *raw = argument;
        REQUIRE(raw->size <= sizeof raw->value);
        (void)input_bytes(raw->value, raw->size);
        return 0;
    }
    if (_IOC_TYPE(request) == 'H' && (_IOC_NR(request) == 0x07 || _IOC_NR(request) == 0x06)) {
        size_t room = _IOC_SIZE(request);
        return (int)(_IOC_NR(request) == 0x07 ? input_bytes(argument, room) : room);
    }
    /* The rest fills its structure; a name of a driver need not end. */
    if (_IOC_DIR(request) & _IOC_READ || request == USBDEVFS_GETDRIVER) (void)input_bytes(argument, _IOC_SIZE(request));
    if (request == TIOCMGET) (void)input_bytes(argument, sizeof(int));
    if (request == TIOCGSERIAL) (void)input_bytes(argument, sizeof(struct serial_struct));
    return 0;
}

struct reader_state;
struct request;

/* As the shim takes them out of the library. A length may be more than there was room for. */
long SCardEstablishContext(unsigned long scope, const void *first, const void *second, long *context);
long SCardReleaseContext(long context);
long SCardListReaders(long context, const char *groups, char *names, unsigned long *count);
long SCardGetStatusChange(long context, unsigned long limit, struct reader_state *states, unsigned long count);
long SCardCancel(long context);
long SCardConnect(long context, const char *reader, unsigned long share, unsigned long protocols, long *card, unsigned long *active);
long SCardStatus(
    long card, char *name, unsigned long *name_length, unsigned long *state, unsigned long *protocol, unsigned char *atr, unsigned long *count);
long SCardTransmit(
    long card, const struct request *request, const unsigned char *command, unsigned long length, struct request *unused, unsigned char *answer, unsigned long *count);
long SCardControl(
    long card, unsigned long code, const void *request, unsigned long length, void *answer, unsigned long capacity, unsigned long *count);
long SCardDisconnect(long card, unsigned long disposition);

static long status(void) { return input_byte() < 0xC0 ? 0 : (long)(0x80100000u | input_byte()); }

static long filled(void *buffer, unsigned long capacity, unsigned long *count) {
    long result = status();
    unsigned long said = (unsigned long)input_byte() << (input_byte() % 24);
    (void)input_bytes(buffer, said < capacity ? said : capacity);
    *count = said;
    return result;
}

long SCardEstablishContext(unsigned long scope, const void *first, const void *second, long *context) {
    (void)scope, (void)first, (void)second;
    *context = 1;
    return status();
}

long SCardReleaseContext(long context) { return (void)context, status(); }

long SCardListReaders(long context, const char *groups, char *names, unsigned long *count) {
    return (void)context, (void)groups, filled(names, *count, count);
}

long SCardGetStatusChange(long context, unsigned long limit, struct reader_state *states, unsigned long count) {
    return (void)context, (void)limit, (void)states, (void)count, status();
}

long SCardCancel(long context) { return (void)context, status(); }

long SCardConnect(long context, const char *reader, unsigned long share, unsigned long protocols, long *card, unsigned long *active) {
    (void)context, (void)reader, (void)share, (void)protocols;
    *card = 2;
    *active = input_word();
    return status();
}

long SCardStatus(
    long card, char *name, unsigned long *name_length, unsigned long *state, unsigned long *protocol, unsigned char *atr, unsigned long *count) {
    (void)card, (void)state, (void)protocol;
    (void)filled(name, *name_length, name_length);
    return filled(atr, *count, count);
}

long SCardTransmit(
    long card, const struct request *request, const unsigned char *command, unsigned long length, struct request *unused, unsigned char *answer, unsigned long *count) {
    return (void)card, (void)request, (void)command, (void)length, (void)unused, filled(answer, *count, count);
}

long SCardControl(
    long card, unsigned long code, const void *request, unsigned long length, void *answer, unsigned long capacity, unsigned long *count) {
    return (void)card, (void)code, (void)request, (void)length, filled(answer, capacity, count);
}

long SCardDisconnect(long card, unsigned long disposition) { return (void)card, (void)disposition, status(); }
