#include "protocols.h"

#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t zero[16];

/// Puts digits into the half bytes of `field` from number `at` on.
static void put(uint8_t *field, size_t at, const char *digits, size_t count) {
    for (size_t i = 0; i < count; i++, at++) {
        uint8_t digit = (uint8_t)(digits[i] - '0');
        field[at / 2] = at % 2 ? (uint8_t)((field[at / 2] & 0xF0) | digit) : (uint8_t)((field[at / 2] & 0x0F) | digit << 4);
    }
}

void reference_pin_block_0(
    const reference_ciphers *ciphers, const uint8_t *key, const char *pin, const char *pan, uint8_t *block) {
    uint8_t clear[8], account[8] = {0};
    size_t count = strlen(pin), pan_count = strlen(pan);
    memset(clear, 0xFF, 8);
    clear[0] = (uint8_t)count;
    put(clear, 2, pin, count);
    put(account, 4, pan + pan_count - 13, 12);
    for (int i = 0; i < 8; i++) clear[i] ^= account[i];
    ciphers->tdes_cbc(1, key, zero, clear, 8, block);
}

void reference_pin_block_4(
    const reference_ciphers *ciphers, const uint8_t *key, const char *pin, const char *pan, uint8_t *block) {
    uint8_t field[16], account[16] = {0};
    size_t count = strlen(pin), pan_count = strlen(pan);
    memset(field, 0xAA, 8);
    field[0] = (uint8_t)(0x40 | count);
    put(field, 2, pin, count);
    if (RAND_bytes(field + 8, 8) != 1) abort();
    account[0] = (uint8_t)((pan_count - 12) << 4);
    put(account, 1, pan, pan_count);
    ciphers->aes_cbc(1, key, 16, zero, field, 16, block);
    // The initial vector is combined with the block, which the account field has to be too.
    ciphers->aes_cbc(1, key, 16, account, block, 16, block);
}
