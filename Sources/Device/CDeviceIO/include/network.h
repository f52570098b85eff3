#ifndef CDEVICEIO_NETWORK_H
#define CDEVICEIO_NETWORK_H

#include <stddef.h>
#include <stdint.h>

/* Sockets that are connected within a deadline. What comes back does not block and is not inherited. Bluetooth needs the kernel only, not BlueZ's library. */

/* `address` as it is written, its first byte first. `channel` 1 to 30. */
int cdio_rfcomm_connect(const uint8_t address[6], uint8_t channel, int cancel, int64_t deadline);

/* A packet connection to a protocol/service multiplexer; SDP is 1. */
int cdio_l2cap_connect(const uint8_t address[6], uint16_t psm, int cancel, int64_t deadline);

/* `address` 4 or 16 bytes as they go over the wire; `scope` the interface of an IPv6 address that is good on one link only, otherwise 0. A connection whose
   other side has gone is noticed also while nothing is sent. */
int cdio_tcp_connect(const uint8_t *address, size_t count, uint32_t scope, uint16_t port, int cancel, int64_t deadline);

/* `path` of a socket file, or a name of the abstract namespace, which begins with a zero; at most 107 bytes. */
int cdio_unix_connect(const uint8_t *path, size_t count, int cancel, int64_t deadline);

#endif
