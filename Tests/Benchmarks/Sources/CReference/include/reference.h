#ifndef CARDPRESENT_REFERENCE_H
#define CARDPRESENT_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

/// Walks BER-TLV and counts its data objects, templates and what they hold; negative if the bytes are none.
/// As little code as can walk EMV data safely: what a careful C programmer would write first.
long reference_tlv_walk(const uint8_t *bytes, size_t count, unsigned depth);

/// m^e mod n by RSA_public_encrypt without padding, the key made from its bytes as it is for each EMV certificate. Returns 1 on success.
int reference_rsa_recover(
    const uint8_t *signature, const uint8_t *modulus, size_t modulus_count, const uint8_t *exponent, size_t exponent_count, uint8_t *out);

/// m^3 mod n by `BN_mod_sqr` and `BN_mod_mul`, with a context and numbers that are kept: the work that no way of calling libcrypto can do without. `out` gets
/// `modulus_count` bytes. Returns 1 on success.
int reference_rsa_cube(const uint8_t *signature, const uint8_t *modulus, size_t modulus_count, uint8_t *out);

// Operations on P-256 by libcrypto: multiplications of the generator, of another point, sums of one of each, as a verification of a
// signature has them, and points from their x-coordinates. 0 if one failed.
int reference_p256_operate(size_t generator, size_t point, size_t sums, size_t points);

/// Runs a program with its output thrown away; user + system time in microseconds, negative if it failed.
long reference_process_cost(const char *path, const char *const *arguments);

/// The same with the most memory that the program had, in KiB, and with any status of its own at its end.
long reference_process_memory(const char *path, const char *const *arguments, long *kilobytes);

/// What the allocator has given out and not got back, in bytes.
size_t reference_allocated(void);

/// What the allocator has from the system, given out or not, in bytes.
size_t reference_heap(void);

/// User + system time of all threads of this process, in microseconds.
long reference_own_cost(void);

/// A connection to a port of this machine; negative if there is none.
int reference_connect(uint16_t port);

/// Sends an HTTP/1.1 request over the connection and waits for the whole answer, which ends with a zero byte behind it. Returns where its body begins; negative if
/// the connection broke or the answer does not tell its length.
long reference_exchange(int connection, const uint8_t *request, size_t count, char *answer, size_t capacity);

#endif
