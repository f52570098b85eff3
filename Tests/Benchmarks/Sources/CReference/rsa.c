#define OPENSSL_SUPPRESS_DEPRECATED
#include "reference.h"

#include <openssl/bn.h>
#include <openssl/rsa.h>

int reference_rsa_recover(
    const uint8_t *signature, const uint8_t *modulus, size_t modulus_count, const uint8_t *exponent, size_t exponent_count, uint8_t *out) {
    RSA *rsa = RSA_new();
    if (!rsa) return 0;
    int done = 0;
    if (RSA_set0_key(rsa, BN_bin2bn(modulus, (int)modulus_count, NULL), BN_bin2bn(exponent, (int)exponent_count, NULL), NULL))
        done = RSA_public_encrypt((int)modulus_count, signature, out, rsa, RSA_NO_PADDING) == (int)modulus_count;
    RSA_free(rsa);
    return done;
}

int reference_rsa_cube(const uint8_t *signature, const uint8_t *modulus, size_t modulus_count, uint8_t *out) {
    static BN_CTX *context;
    static BIGNUM *number, *divisor, *result;
    if (!context) {
        context = BN_CTX_new();
        number = BN_new();
        divisor = BN_new();
        result = BN_new();
        if (!context || !number || !divisor || !result) return 0;
    }
    return BN_bin2bn(signature, (int)modulus_count, number) && BN_bin2bn(modulus, (int)modulus_count, divisor)
        && BN_mod_sqr(result, number, divisor, context) && BN_mod_mul(result, result, number, divisor, context)
        && BN_bn2binpad(result, out, (int)modulus_count) == (int)modulus_count;
}
