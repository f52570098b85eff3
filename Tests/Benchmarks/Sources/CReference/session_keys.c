#include "protocols.h"

static const uint8_t zero[16];

void reference_tdes_session_key(const reference_ciphers *ciphers, const uint8_t *master_key, uint16_t atc, uint8_t *key) {
    uint8_t block[8] = {(uint8_t)(atc >> 8), (uint8_t)atc, 0xF0};
    ciphers->tdes_cbc(1, master_key, zero, block, 8, key);
    block[2] = 0x0F;
    ciphers->tdes_cbc(1, master_key, zero, block, 8, key + 8);
}

void reference_aes_session_key(const reference_ciphers *ciphers, const uint8_t *master_key, uint16_t atc, uint8_t *key) {
    uint8_t block[16] = {(uint8_t)(atc >> 8), (uint8_t)atc};
    ciphers->aes_cbc(1, master_key, 16, zero, block, 16, key);
}
