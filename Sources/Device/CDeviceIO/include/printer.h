#ifndef CDEVICEIO_PRINTER_H
#define CDEVICEIO_PRINTER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The IEEE 1284 device id of a printer behind usblp, with its two bytes of length; the number of bytes. -ENOTTY for another kind of file. */
ssize_t cdio_printer_identity(int descriptor, uint8_t *buffer, size_t capacity);

#endif
