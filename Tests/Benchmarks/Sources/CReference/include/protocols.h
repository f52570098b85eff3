#ifndef CARDPRESENT_PROTOCOLS_H
#define CARDPRESENT_PROTOCOLS_H

#include "ciphers.h"

/// The algorithms of card payments over either set of ciphers, in as few steps as they have. Keys of triple DES have 16 bytes, of AES `key_count` bytes, 16 or 32.

/// The transaction key (16 bytes) of a key serial number (10 bytes) from the base derivation key: ANSI X9.24-1:2009, A.3 and A.6.
void reference_tdes_dukpt(const reference_ciphers *ciphers, const uint8_t *base_key, const uint8_t *serial_number, uint8_t *key);

/// The PIN encryption key (AES, 16 bytes) of a key serial number (12 bytes) from an AES-128 base derivation key: ANSI X9.24-3:2017, 6.3.
void reference_aes_dukpt(const reference_ciphers *ciphers, const uint8_t *base_key, const uint8_t *serial_number, uint8_t *key);

/// MAC algorithm 3 of ISO/IEC 9797-1 with padding method 2. `count` is at most 248.
void reference_retail_mac(const reference_ciphers *ciphers, const uint8_t *key, const uint8_t *message, size_t count, uint8_t *mac);

/// CMAC (NIST SP 800-38B) of triple DES, 8 bytes. `count` is at most 248.
void reference_tdes_cmac(const reference_ciphers *ciphers, const uint8_t *key, const uint8_t *message, size_t count, uint8_t *mac);

/// CMAC (NIST SP 800-38B) of AES, 16 bytes. `count` is at most 240.
void reference_aes_cmac(
    const reference_ciphers *ciphers, const uint8_t *key, size_t key_count, const uint8_t *message, size_t count, uint8_t *mac);

/// The PIN block of ISO 9564-1 format 0 under a triple DES key: digits as ASCII.
void reference_pin_block_0(
    const reference_ciphers *ciphers, const uint8_t *key, const char *pin, const char *pan, uint8_t *block);

/// The PIN block of ISO 9564-1 format 4 under an AES-128 key, with random fill from libcrypto: digits as ASCII, 12 to 19 of the PAN.
void reference_pin_block_4(
    const reference_ciphers *ciphers, const uint8_t *key, const char *pin, const char *pan, uint8_t *block);

/// The session key of EMV 4.4 Book 2, A1.3.1, for an ATC.
void reference_tdes_session_key(const reference_ciphers *ciphers, const uint8_t *master_key, uint16_t atc, uint8_t *key);

/// The same with AES-128.
void reference_aes_session_key(const reference_ciphers *ciphers, const uint8_t *master_key, uint16_t atc, uint8_t *key);

/// A TR-31 key block of a 16-byte PIN encryption key, no optional blocks, random padding from libcrypto (TR-31:2018, 5.3 and 5.4): version B under a triple DES
/// key of 16 bytes, 96 characters; version D under an AES-128 key, 144 characters. Ends with a zero byte.
void reference_wrap(const reference_ciphers *ciphers, char version, const uint8_t *protection_key, const uint8_t *key, char *block);

/// The key (16 bytes) in such a block; 0 if it does not authenticate.
int reference_unwrap(const reference_ciphers *ciphers, const uint8_t *protection_key, const char *block, uint8_t *key);

#endif
