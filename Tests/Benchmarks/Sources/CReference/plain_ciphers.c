#include "ciphers.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

static void run(
    const EVP_CIPHER *cipher, int encrypt, const uint8_t *key, const uint8_t *iv, const uint8_t *input, size_t count, uint8_t *output) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int written = 0, last = 0;
    if (!context || !EVP_CipherInit_ex(context, cipher, NULL, key, iv, encrypt) || !EVP_CIPHER_CTX_set_padding(context, 0)
        || !EVP_CipherUpdate(context, output, &written, input, (int)count) || !EVP_CipherFinal_ex(context, output + written, &last))
        abort();
    EVP_CIPHER_CTX_free(context);
}

static void tdes_cbc(int encrypt, const uint8_t *key, const uint8_t *iv, const uint8_t *input, size_t count, uint8_t *output) {
    run(EVP_des_ede_cbc(), encrypt, key, iv, input, count, output);
}

static void des_cbc(const uint8_t *key, const uint8_t *iv, const uint8_t *input, size_t count, uint8_t *output) {
    uint8_t twice[16];
    memcpy(twice, key, 8);
    memcpy(twice + 8, key, 8);
    tdes_cbc(1, twice, iv, input, count, output);
}

static void aes_cbc(
    int encrypt, const uint8_t *key, size_t key_count, const uint8_t *iv, const uint8_t *input, size_t count, uint8_t *output) {
    run(key_count == 16 ? EVP_aes_128_cbc() : EVP_aes_256_cbc(), encrypt, key, iv, input, count, output);
}

const reference_ciphers *reference_plain_ciphers(void) {
    static const reference_ciphers ciphers = {des_cbc, tdes_cbc, aes_cbc};
    return &ciphers;
}
