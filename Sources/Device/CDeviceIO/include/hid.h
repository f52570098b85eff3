#ifndef CDEVICEIO_HID_H
#define CDEVICEIO_HID_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* hidraw: input and output reports go through cdio_read and cdio_write. The calls here block for as long as the kernel lets a control transfer take,
   five seconds. */

struct cdio_hid_information {
    uint32_t bus; /* 3 USB, 5 Bluetooth, 6 virtual (linux/input.h) */
    uint16_t vendor;
    uint16_t product;
};

int cdio_hid_information(int descriptor, struct cdio_hid_information *information);

/* The report descriptor, at most 4096 bytes. */
ssize_t cdio_hid_report_descriptor(int descriptor, uint8_t *buffer, size_t capacity);

/* `buffer[0]` is the number of the report, 0 where the device has no numbers; the report is behind it. */
ssize_t cdio_hid_get_feature(int descriptor, uint8_t *buffer, size_t capacity);
ssize_t cdio_hid_set_feature(int descriptor, const uint8_t *bytes, size_t count);

#endif
