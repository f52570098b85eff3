#include "protocols.h"

#include <string.h>

static const uint8_t zero[16];

/// One step of the non-reversible key generation process (ANSI X9.24-1:2009, A.3).
static void step(const reference_ciphers *ciphers, uint8_t *key, const uint8_t *serial_register) {
    uint8_t next[16], variant[16], block[8];
    for (int i = 0; i < 16; i++) variant[i] = key[i] ^ (i % 8 < 4 ? 0xC0 : 0);
    for (int half = 0; half < 2; half++) {
        const uint8_t *with = half ? key : variant;
        for (int i = 0; i < 8; i++) block[i] = serial_register[i] ^ with[8 + i];
        ciphers->des_cbc(with, zero, block, 8, block);
        for (int i = 0; i < 8; i++) next[8 * half + i] = block[i] ^ with[8 + i];
    }
    memcpy(key, next, 16);
}

void reference_tdes_dukpt(const reference_ciphers *ciphers, const uint8_t *base_key, const uint8_t *serial_number, uint8_t *key) {
    uint8_t device[8], variant[16], serial_register[8];
    memcpy(device, serial_number, 8);
    device[7] &= 0xE0;
    for (int i = 0; i < 16; i++) variant[i] = base_key[i] ^ (i % 8 < 4 ? 0xC0 : 0);
    ciphers->tdes_cbc(1, base_key, zero, device, 8, key);
    ciphers->tdes_cbc(1, variant, zero, device, 8, key + 8);

    uint32_t counter = (uint32_t)(serial_number[7] & 0x1F) << 16 | (uint32_t)serial_number[8] << 8 | serial_number[9];
    memcpy(serial_register, serial_number + 2, 8);
    serial_register[5] &= 0xE0;
    serial_register[6] = serial_register[7] = 0;
    for (uint32_t bit = 1 << 20; bit; bit >>= 1) {
        if (!(counter & bit)) continue;
        serial_register[5] |= (uint8_t)(bit >> 16);
        serial_register[6] |= (uint8_t)(bit >> 8);
        serial_register[7] |= (uint8_t)bit;
        step(ciphers, key, serial_register);
    }
}

/// "Derive Key" for AES-128 (ANSI X9.24-3:2017, 6.3.3).
static void derive(const reference_ciphers *ciphers, uint16_t usage, const uint8_t *context, const uint8_t *key, uint8_t *derived) {
    uint8_t data[16] = {1, 1, (uint8_t)(usage >> 8), (uint8_t)usage, 0, 2, 0, 128};
    memcpy(data + 8, context, 8);
    ciphers->aes_cbc(1, key, 16, zero, data, 16, derived);
}

void reference_aes_dukpt(const reference_ciphers *ciphers, const uint8_t *base_key, const uint8_t *serial_number, uint8_t *key) {
    uint8_t current[16], next[16], context[8];
    derive(ciphers, 0x8001, serial_number, base_key, current);
    memcpy(context, serial_number + 4, 4);
    memset(context + 4, 0, 4);
    uint32_t counter = (uint32_t)serial_number[8] << 24 | (uint32_t)serial_number[9] << 16 | (uint32_t)serial_number[10] << 8 | serial_number[11];
    for (uint32_t bit = 1u << 31; bit; bit >>= 1) {
        if (!(counter & bit)) continue;
        context[4] |= (uint8_t)(bit >> 24);
        context[5] |= (uint8_t)(bit >> 16);
        context[6] |= (uint8_t)(bit >> 8);
        context[7] |= (uint8_t)bit;
        derive(ciphers, 0x8000, context, current, next);
        memcpy(current, next, 16);
    }
    derive(ciphers, 0x1000, context, current, key);
}
