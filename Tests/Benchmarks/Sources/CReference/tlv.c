#include "reference.h"

long reference_tlv_walk(const uint8_t *bytes, size_t count, unsigned depth) {
    size_t at = 0;
    long found = 0;
    if (depth > 8) return -1;
    while (at < count) {
        if (bytes[at] == 0) {
            at++;
            continue;
        }
        int constructed = bytes[at] & 0x20;
        uint32_t tag = bytes[at];
        if ((bytes[at++] & 0x1F) == 0x1F) {
            do {
                if (at == count || tag > 0xFFFFFF) return -1;
                tag = tag << 8 | bytes[at];
            } while (bytes[at++] & 0x80);
        }
        if (at == count) return -1;
        size_t length = bytes[at++];
        if (length & 0x80) {
            size_t size = length & 0x7F;
            if (size == 0 || size > 3 || size > count - at) return -1;
            for (length = 0; size > 0; size--) length = length << 8 | bytes[at++];
        }
        if (length > count - at) return -1;
        found++;
        if (constructed) {
            long inner = reference_tlv_walk(bytes + at, length, depth + 1);
            if (inner < 0) return -1;
            found += inner;
        }
        at += length;
    }
    return found;
}
