#define _GNU_SOURCE
#include "reference.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int reference_connect(uint16_t port) {
    int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0) return -1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int on = 1;
    if (connect(connection, (struct sockaddr *)&address, sizeof address) != 0
        || setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) {
        close(connection);
        return -1;
    }
    return connection;
}

long reference_exchange(int connection, const uint8_t *request, size_t count, char *answer, size_t capacity) {
    if (send(connection, request, count, MSG_NOSIGNAL) != (ssize_t)count) return -1;
    size_t got = 0;
    while (got + 1 < capacity) {
        ssize_t more = recv(connection, answer + got, capacity - 1 - got, 0);
        if (more <= 0) return -1;
        got += (size_t)more;
        answer[got] = 0;
        const char *end = strstr(answer, "\r\n\r\n");
        const char *length = end ? strcasestr(answer, "\r\ncontent-length:") : NULL;
        if (!length || length > end) continue;
        size_t body = (size_t)(end + 4 - answer);
        if (got < body + strtoul(length + strlen("\r\ncontent-length:"), NULL, 10)) continue;
        return (long)body;
    }
    return -1;
}
