#define _DEFAULT_SOURCE
#include "printer.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

/* linux/drivers/usb/class/usblp.c, IOCNR_GET_DEVICE_ID: the kernel's headers for programs do not have it. */
#define PRINTER_IDENTITY(length) _IOC(_IOC_READ, 'P', 1, length)
#define LONGEST_IDENTITY 1024

ssize_t cdio_printer_identity(int descriptor, uint8_t *buffer, size_t capacity) {
    char identity[LONGEST_IDENTITY] = {0};
    if (ioctl(descriptor, PRINTER_IDENTITY(LONGEST_IDENTITY), identity) < 0) return -errno;
    size_t length = ((size_t)(uint8_t)identity[0] << 8) | (uint8_t)identity[1];
    if (length > LONGEST_IDENTITY) length = LONGEST_IDENTITY;
    if (length > capacity) length = capacity;
    memcpy(buffer, identity, length);
    return (ssize_t)length;
}
