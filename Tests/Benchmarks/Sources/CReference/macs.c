#include "protocols.h"

#include <string.h>

static const uint8_t zero[16];

void reference_retail_mac(const reference_ciphers *ciphers, const uint8_t *key, const uint8_t *message, size_t count, uint8_t *mac) {
    uint8_t padded[256] = {0}, chain[256];
    size_t length = (count / 8 + 1) * 8;
    memcpy(padded, message, count);
    padded[count] = 0x80;
    const uint8_t *iv = zero;
    if (length > 8) {
        ciphers->des_cbc(key, zero, padded, length - 8, chain);
        iv = chain + length - 16;
    }
    ciphers->tdes_cbc(1, key, iv, padded + length - 8, 8, mac);
}

static void doubled(uint8_t *block, size_t size) {
    uint8_t first = block[0];
    for (size_t i = 0; i + 1 < size; i++) block[i] = (uint8_t)(block[i] << 1 | block[i + 1] >> 7);
    block[size - 1] = (uint8_t)(block[size - 1] << 1 ^ (first >> 7 ? (size == 8 ? 0x1B : 0x87) : 0));
}

/// `key_count` is 0 for triple DES.
static void cmac(
    const reference_ciphers *ciphers, const uint8_t *key, size_t key_count, const uint8_t *message, size_t count, uint8_t *mac) {
    size_t size = key_count ? 16 : 8;
    uint8_t subkey[16], padded[256] = {0}, chain[256];
    if (key_count) ciphers->aes_cbc(1, key, key_count, zero, zero, 16, subkey);
    else ciphers->tdes_cbc(1, key, zero, zero, 8, subkey);
    doubled(subkey, size);
    size_t length = count;
    memcpy(padded, message, count);
    if (count == 0 || count % size) {
        doubled(subkey, size);
        padded[count] = 0x80;
        length = (count / size + 1) * size;
    }
    for (size_t i = 0; i < size; i++) padded[length - size + i] ^= subkey[i];
    if (key_count) ciphers->aes_cbc(1, key, key_count, zero, padded, length, chain);
    else ciphers->tdes_cbc(1, key, zero, padded, length, chain);
    memcpy(mac, chain + length - size, size);
}

void reference_tdes_cmac(const reference_ciphers *ciphers, const uint8_t *key, const uint8_t *message, size_t count, uint8_t *mac) {
    cmac(ciphers, key, 0, message, count, mac);
}

void reference_aes_cmac(
    const reference_ciphers *ciphers, const uint8_t *key, size_t key_count, const uint8_t *message, size_t count, uint8_t *mac) {
    cmac(ciphers, key, key_count, message, count, mac);
}
