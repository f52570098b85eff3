#ifndef CDEVICEIO_USB_H
#define CDEVICEIO_USB_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* One USB device, through libusb, driven by the thread that calls: there is no thread behind it. */

struct cdio_usb;

#define CDIO_USB_LARGEST 65800u /* bytes of one transfer */

/* `node` is a file of /dev/bus/usb. */
int cdio_usb_open(const char *node, struct cdio_usb **usb);
void cdio_usb_close(struct cdio_usb *usb);

/* The device descriptor, then its configurations, as the device has them. */
ssize_t cdio_usb_descriptors(const struct cdio_usb *usb, uint8_t *buffer, size_t capacity);

/* -EBUSY if a driver or another program has the interface. */
int cdio_usb_claim(struct cdio_usb *usb, uint8_t interface);

/* The driver that has the interface, "usbfs" for a program; -ENODATA without a driver. */
int cdio_usb_driver(const struct cdio_usb *usb, uint8_t interface, char *name, size_t capacity);

/* A control transfer; its direction is bit 7 of `type`. Gives the bytes transferred. */
ssize_t cdio_usb_control(
    struct cdio_usb *usb, uint8_t type, uint8_t request, uint16_t value, uint16_t index, uint8_t *data, uint16_t length, int cancel, int64_t deadline);

/* A bulk transfer; its direction is bit 7 of `endpoint`. */
ssize_t cdio_usb_bulk(struct cdio_usb *usb, uint8_t endpoint, uint8_t *data, size_t length, int cancel, int64_t deadline);

/* As cdio_usb_bulk from the device, but ends with -EINTR as soon as the interrupt endpoint has something for cdio_usb_heard. What has come in until
   then is not lost: it is given as the result of this call, in place of -EINTR. */
ssize_t cdio_usb_bulk_or_heard(struct cdio_usb *usb, uint8_t endpoint, uint8_t *data, size_t length, int cancel, int64_t deadline);

/* Keeps an interrupt endpoint's transfer under way from now on, of at most 64 bytes each; the last sixteen that the caller has not read are kept. */
int cdio_usb_listen(struct cdio_usb *usb, uint8_t endpoint, size_t length);

/* What the interrupt endpoint sent: its bytes, or 0 if there is nothing, or -ENODEV when the device is gone. Where the endpoint is
   no longer read, why, until it is listened to again. */
ssize_t cdio_usb_heard(struct cdio_usb *usb, uint8_t *buffer, size_t capacity);

/* Clears a stalled endpoint. */
int cdio_usb_clear_halt(struct cdio_usb *usb, uint8_t endpoint);

/* Can be read when cdio_usb_heard has something to look at. */
int cdio_usb_descriptor(const struct cdio_usb *usb);

#endif
