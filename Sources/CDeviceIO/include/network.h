#ifndef CDEVICEIO_NETWORK_H
#define CDEVICEIO_NETWORK_H

#include <stddef.h>
#include <stdint.h>

/* Sockets that are connected within a deadline. What comes back does not block and is not inherited. Bluetooth needs the kernel only, not BlueZ's library. */

/* `address` as it is written, its first byte first. `channel` 1 to 30. */
int cdio_rfcomm_connect(const uint8_t address[6], uint8_t channel, int cancel, int64_t deadline);

/* A packet connection to a protocol/service multiplexer; SDP is 1. */
int cdio_l2cap_connect(const uint8_t address[6], uint16_t psm, int cancel, int64_t deadline);

/* `address` 4 or 16 bytes as they go over the wire. */
int cdio_tcp_connect(const uint8_t *address, size_t count, uint16_t port, int cancel, int64_t deadline);

#endif
