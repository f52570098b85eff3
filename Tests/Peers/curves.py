"""The curves P-256 and P-521 (FIPS 186-4, D.1.2) in python's own arithmetic, for the peers of the tests."""

from collections import namedtuple

Curve = namedtuple('Curve', 'count p b base order')

P256 = Curve(
    32, 2**256 - 2**224 + 2**192 + 2**96 - 1, 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
    (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296, 0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5),
    0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551)
P521 = Curve(
    66, 2**521 - 1, 0x51953EB9618E1C9A1F929A21A0B68540EEA2DA725B99B315F3B8B489918EF109E156193951EC7E937B1652C0BD3BB1BF073573DF883D2C34F1EF451FD46B503F00,
    (0xC6858E06B70404E9CD9E3ECB662395B4429C648139053FB521F828AF606B4D3DBAA14B5E77EFE75928FE1DC127A2FFA8DE3348B3C1856A429BF97E7E31C2E5BD66,
     0x011839296A789A3BC0045C8A5FB42C7D1BD998F54449579B446817AFBD17273E662C97EE72995EF42640C550B9013FAD0761353C7086A272C24088BE94769FD16650),
    0x01FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFA51868783BF2F966B7FCC0148F709A5D03BB5C9B8899C47AEBB6FB71E91386409)

def add(one, other, p):
    if one is None: return other
    if other is None: return one
    if one[0] == other[0]:
        if (one[1] + other[1]) % p == 0: return None
        slope = (3 * one[0]**2 - 3) * pow(2 * one[1], -1, p)
    else:
        slope = (other[1] - one[1]) * pow(other[0] - one[0], -1, p)
    x = (slope**2 - one[0] - other[0]) % p
    return x, (slope * (one[0] - x) - one[1]) % p

def multiply(scalar, point, p):
    result = None
    for bit in bin(scalar)[2:]:
        result = add(result, result, p)
        if bit == '1': result = add(result, point, p)
    return result

def lift(x, p, b):
    """The point of x with the lesser y."""
    y = pow(x**3 - 3 * x + b, (p + 1) // 4, p)
    if (y * y - x**3 + 3 * x - b) % p: raise SystemExit('no point has this x')
    return x, min(y, p - y)
