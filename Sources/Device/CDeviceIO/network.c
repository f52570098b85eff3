#include "network.h"

#include "event.h"

#include <errno.h>
#include <stddef.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Bluetooth's part of the socket interface (Linux, include/net/bluetooth): the headers come with BlueZ's library only. */
#define PROTOCOL_L2CAP 0
#define PROTOCOL_RFCOMM 3

struct rfcomm_address {
    sa_family_t family;
    uint8_t device[6]; /* last byte first */
    uint8_t channel;
};

struct l2cap_address {
    sa_family_t family;
    uint16_t psm; /* little-endian */
    uint8_t device[6];
    uint16_t cid;
    uint8_t device_type; /* 0: BR/EDR */
};

static void reverse(uint8_t target[6], const uint8_t address[6]) {
    for (size_t index = 0; index < 6; index++) target[index] = address[5 - index];
}

static int connect_within(int family, int type, int protocol, const struct sockaddr *address, socklen_t length, int cancel, int64_t deadline) {
    int descriptor = socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
    if (descriptor < 0) return -errno;
    int result = connect(descriptor, address, length) == 0 ? 0 : -errno;
    if (result == -EINPROGRESS || result == -EAGAIN) {
        result = cdio_wait_writable(descriptor, cancel, deadline);
        if (result >= 0) {
            int error = 0;
            socklen_t size = sizeof error;
            result = getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? -error : -errno;
        }
    }
    if (result < 0) {
        close(descriptor);
        return result;
    }
    return descriptor;
}

int cdio_rfcomm_connect(const uint8_t address[6], uint8_t channel, int cancel, int64_t deadline) {
    struct rfcomm_address target = {.family = AF_BLUETOOTH, .channel = channel};
    reverse(target.device, address);
    return connect_within(AF_BLUETOOTH, SOCK_STREAM, PROTOCOL_RFCOMM, (const struct sockaddr *)&target, sizeof target, cancel, deadline);
}

int cdio_l2cap_connect(const uint8_t address[6], uint16_t psm, int cancel, int64_t deadline) {
    struct l2cap_address target;
    memset(&target, 0, sizeof target);
    target.family = AF_BLUETOOTH;
    uint8_t order[2] = {(uint8_t)(psm & 0xFF), (uint8_t)(psm >> 8)};
    memcpy(&target.psm, order, sizeof order);
    reverse(target.device, address);
    return connect_within(AF_BLUETOOTH, SOCK_SEQPACKET, PROTOCOL_L2CAP, (const struct sockaddr *)&target, sizeof target, cancel, deadline);
}

/* A reader that was switched off, or whose cable was pulled, is noticed after about a minute in which nothing was sent. */
static void keep_alive(int descriptor) {
    const struct {
        int level, name, value;
    } options[] = {
        {SOL_SOCKET, SO_KEEPALIVE, 1}, {IPPROTO_TCP, TCP_KEEPIDLE, 30}, {IPPROTO_TCP, TCP_KEEPINTVL, 10}, {IPPROTO_TCP, TCP_KEEPCNT, 3},
        {IPPROTO_TCP, TCP_NODELAY, 1},
    };
    for (size_t index = 0; index < sizeof options / sizeof options[0]; index++)
        (void)setsockopt(descriptor, options[index].level, options[index].name, &options[index].value, sizeof options[index].value);
}

int cdio_tcp_connect(const uint8_t *address, size_t count, uint32_t scope, uint16_t port, int cancel, int64_t deadline) {
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_scope_id = scope};
    int descriptor;
    if (count == sizeof v4.sin_addr) {
        memcpy(&v4.sin_addr, address, count);
        descriptor = connect_within(AF_INET, SOCK_STREAM, 0, (const struct sockaddr *)&v4, sizeof v4, cancel, deadline);
    } else if (count == sizeof v6.sin6_addr) {
        memcpy(&v6.sin6_addr, address, count);
        descriptor = connect_within(AF_INET6, SOCK_STREAM, 0, (const struct sockaddr *)&v6, sizeof v6, cancel, deadline);
    } else {
        return -EINVAL;
    }
    if (descriptor >= 0) keep_alive(descriptor);
    return descriptor;
}

/* A listener whose queue is full says so at once, and does not tell when there is room. */
#define LISTENER_PAUSE 10000000LL

int cdio_unix_connect(const uint8_t *path, size_t count, int cancel, int64_t deadline) {
    struct sockaddr_un target = {.sun_family = AF_UNIX};
    if (count == 0 || count >= sizeof target.sun_path) return -ENAMETOOLONG;
    memcpy(target.sun_path, path, count);
    /* A name of the abstract namespace begins with a zero and does not end with one. */
    socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + count + (path[0] == 0 ? 0 : 1));
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -errno;
    int result;
    for (;;) {
        result = connect(descriptor, (const struct sockaddr *)&target, length) == 0 ? 0 : -errno;
        if (result != -EAGAIN) break;
        int64_t next = cdio_now() + LISTENER_PAUSE;
        int waited = cdio_wait_readable(NULL, 0, cancel, next < deadline ? next : deadline);
        if (waited != -ETIMEDOUT || next >= deadline) {
            result = waited;
            break;
        }
    }
    if (result == 0) return descriptor;
    close(descriptor);
    return result;
}
