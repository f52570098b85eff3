#include "reference.h"

#include <openssl/ec.h>
#include <openssl/obj_mac.h>

// The x-coordinate of a result, which every use of it needs.
static int affine(EC_GROUP *group, EC_POINT *point, BIGNUM *number, BN_CTX *context) {
    return EC_POINT_get_affine_coordinates(group, point, number, NULL, context);
}

int reference_p256_operate(size_t generator, size_t point, size_t sums, size_t points) {
    static EC_GROUP *group;
    static BN_CTX *context;
    static BIGNUM *first, *second, *x, *result_x;
    static EC_POINT *other, *result;
    if (!group) {
        group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
        context = BN_CTX_new();
        first = BN_new();
        second = BN_new();
        x = BN_new();
        result_x = BN_new();
        other = group ? EC_POINT_new(group) : NULL;
        result = group ? EC_POINT_new(group) : NULL;
        if (!context || !first || !second || !x || !result_x || !other || !result
            || !BN_rand_range(first, EC_GROUP_get0_order(group))
            || !BN_rand_range(second, EC_GROUP_get0_order(group)) || !EC_POINT_mul(group, other, first, NULL, NULL, context)
            || !EC_POINT_get_affine_coordinates(group, other, x, NULL, context))
            return 0;
    }
    for (size_t index = 0; index < generator; index++)
        if (!EC_POINT_mul(group, result, first, NULL, NULL, context) || !affine(group, result, result_x, context)) return 0;
    for (size_t index = 0; index < point; index++)
        if (!EC_POINT_mul(group, result, NULL, other, second, context) || !affine(group, result, result_x, context)) return 0;
    for (size_t index = 0; index < sums; index++)
        if (!EC_POINT_mul(group, result, first, other, second, context) || !affine(group, result, result_x, context)) return 0;
    for (size_t index = 0; index < points; index++)
        if (!EC_POINT_set_compressed_coordinates(group, result, x, 0, context)) return 0;
    return 1;
}
