"""A second implementation of kernel 8's secure channel, certificates and codes, for the tests: kernel8.py SESSION.json

It computes a session of Vectors/kernel-8 again from the private keys and what went over the air, and compares every value. Curves, AES,
CMAC and signatures are python's own. Formulas: EMV Contactless Book E as Digrol/Denom (MIT-0) has it.
"""

import hashlib, json, sys

sys.dont_write_bytecode = True
from curves import P256, P521, add, lift, multiply

HASHES = {'P-256': (P256, hashlib.sha256), 'P-521': (P521, hashlib.sha512)}

# MARK: AES (FIPS 197), CMAC (NIST SP 800-38B)

def doubled(byte): return (byte << 1 ^ 0x1B) & 0xFF if byte & 0x80 else byte << 1

def product(one, other):
    result = 0
    while other:
        if other & 1: result ^= one
        one, other = doubled(one), other >> 1
    return result

def substitution(byte):
    inverse = next((other for other in range(256) if product(byte, other) == 1), 0)
    result = 0x63
    for turn in range(5): result ^= (inverse << turn | inverse >> 8 - turn) & 0xFF
    return result

SBOX = [substitution(byte) for byte in range(256)]
INVERSE = [SBOX.index(byte) for byte in range(256)]

def round_keys(key):
    words, constant = [key[i:i + 4] for i in range(0, 16, 4)], 1
    while len(words) < 44:
        word = words[-1]
        if len(words) % 4 == 0:
            word = bytes([SBOX[word[1]] ^ constant, SBOX[word[2]], SBOX[word[3]], SBOX[word[0]]])
            constant = doubled(constant)
        words.append(bytes(a ^ b for a, b in zip(words[-4], word)))
    return [b''.join(words[i:i + 4]) for i in range(0, 44, 4)]

def mix(state, row):
    return bytes(product(row[0], state[c + r]) ^ product(row[1], state[c + (r + 1) % 4]) ^ product(row[2], state[c + (r + 2) % 4])
                 ^ product(row[3], state[c + (r + 3) % 4]) for c in range(0, 16, 4) for r in range(4))

def xor(one, other): return bytes(a ^ b for a, b in zip(one, other))

def encrypt(key, block):
    keys = round_keys(key)
    state = xor(block, keys[0])
    for number in range(1, 11):
        state = bytes(SBOX[state[(i + 4 * (i % 4)) % 16]] for i in range(16))
        if number < 10: state = mix(state, (2, 3, 1, 1))
        state = xor(state, keys[number])
    return state

def decrypt(key, block):
    keys = round_keys(key)
    state = block
    for number in range(10, 0, -1):
        state = xor(state, keys[number])
        if number < 10: state = mix(state, (14, 11, 13, 9))
        state = bytes(INVERSE[state[(i - 4 * (i % 4)) % 16]] for i in range(16))
    return xor(state, keys[0])

def shifted(block):
    number = int.from_bytes(block, 'big') << 1
    return ((number & 2**128 - 1) ^ (0x87 if number >> 128 else 0)).to_bytes(16, 'big')

def cmac(key, data):
    subkey = shifted(encrypt(key, bytes(16)))
    if not data or len(data) % 16:
        subkey = shifted(subkey)
        data += b'\x80' + bytes(-(len(data) + 1) % 16)
    data = data[:-16] + xor(data[-16:], subkey)
    code = bytes(16)
    for i in range(0, len(data), 16): code = encrypt(key, xor(code, data[i:i + 16]))
    return code

def stream(key, counter, data):
    """Counter mode: the message's counter, then the block's number."""
    out = b''
    for i in range(0, len(data), 16):
        out += xor(data[i:i + 16], encrypt(key, ((counter << 112) + i // 16).to_bytes(16, 'big')))
    return out

# MARK: Data objects

def objects(data):
    """Tag, whole object and value of each, in their order."""
    found, at = [], 0
    while at < len(data):
        start = at
        at += 1
        if data[start] & 0x1F == 0x1F:
            while data[at] & 0x80: at += 1
            at += 1
        tag = data[start:at].hex().upper()
        length = data[at]
        at += 1
        if length & 0x80:
            count = length & 0x7F
            length = int.from_bytes(data[at:at + count], 'big')
            at += count
        found.append((tag, data[start:at + length], data[at:at + length]))
        at += length
    return found

def first(data, *path):
    for tag in path: data = next(value for found, _, value in objects(data) if found == tag)
    return data

# MARK: The session

session = json.load(open(sys.argv[1]))
(count, p, b, base, order), digest = HASHES[session['curve']]
known = lambda *path: bytes.fromhex(session[path[0]] if len(path) == 1 else session[path[0]][path[1]])
checked = 0

def check(what, computed, given):
    global checked
    if computed != given: raise SystemExit(f'{what}: {computed.hex()} is not {given.hex()}')
    checked += 1

commands = [(bytes.fromhex(e['command']), bytes.fromhex(e['answer'])) for e in session['exchanges']]
def data(command): return command[5:5 + command[4]] if len(command) > 5 else b''
def all_of(instruction): return [(c, a[:-2]) for c, a in commands if c[1] == instruction]

# Key agreement
dk, dc = int.from_bytes(known('kernelPrivateKey'), 'big'), int.from_bytes(known('cardPrivateKey'), 'big')
kernel, card = multiply(dk, base, p), multiply(dc, base, p)
if card[1] > p - card[1]: raise SystemExit('the card\'s key has the greater y')
coordinate = lambda number: number.to_bytes(count, 'big')
options, answer = all_of(0xA8)[0]
pdol = first(data(options), '83')
check('kernel key data', coordinate(kernel[0]) + coordinate(kernel[1]), pdol[8:])
check('kernel key data, noted', pdol[8:], known('agreement', 'kernelKeyData'))
check('kernel qualifier', bytes([2, 0x80, 0, 0x10, 0xFF, 0xFF, 0, 0] if count == 32 else [2, 0x80, 1, 0x11, 0xFF, 0xFF, 0, 0]), pdol[:8])
key_data = first(answer, '77', '9F8103')
check('card key data, noted', key_data, known('agreement', 'cardKeyData'))
r = known('agreement', 'blindingFactor')
factor = int.from_bytes(r, 'big')
check('blinded key', coordinate(multiply(factor, card, p)[0]), key_data[:count])
shared = coordinate(multiply(dk, lift(int.from_bytes(key_data[:count], 'big'), p, b), p)[0])
check('shared x, the kernel\'s side', shared, known('agreement', 'sharedX'))
check('shared x, the card\'s side', coordinate(multiply(factor * dc % order, kernel, p)[0]), shared)
kd = cmac(bytes(16), shared)
derive = lambda number: encrypt(kd, bytes([number]) + bytes.fromhex('010054334A325957773DA5A5A50180'))
skc, ski = derive(1), derive(2)
for name, value in (('KD', kd), ('SKC', skc), ('SKI', ski)): check(name, value, known('agreement', name))
check('enciphered factor', stream(skc, 0x8000, r), key_data[count:])

# Messages, in the order of the exchanges
noted, cmc, kmc, records = iter(session['messages']), 0x8001, 0, {}
def compare(what, counter, plain, enciphered=None, code=None):
    message = next(noted)
    if message['message'] != what: raise SystemExit(f'{what} where {message["message"]} is noted')
    check(what + ', counter', counter.to_bytes(2, 'big'), bytes.fromhex(message['counter']))
    check(what, plain, bytes.fromhex(message['plain']))
    if enciphered is not None: check(what + ', enciphered', enciphered, bytes.fromhex(message['enciphered']))
    if code is not None: check(what + ', MAC', code, bytes.fromhex(message['MAC']))
mac = lambda counter, text: cmac(ski, counter.to_bytes(2, 'big') + text)[:8]
for command, answer in commands:
    answer = answer[:-2]
    if command[1] == 0xB2:
        value = first(answer, 'DA')
        plain = stream(skc, cmc, value)
        records[command[3] >> 3] = records.get(command[3] >> 3, b'') + plain
        compare('record', cmc, plain, value)
        cmc += 1
    elif command[1] == 0x32:
        plain = stream(skc, cmc, answer[:-8])
        check('READ DATA, MAC', mac(cmc, answer[:-8]), answer[-8:])
        check('READ DATA, tag', plain[:3], data(command))
        compare('READ DATA', cmc, plain, answer[:-8], answer[-8:])
        cmc += 1
    elif command[1] == 0x34:
        plain = stream(skc, kmc, data(command))
        compare('WRITE DATA', kmc, plain, data(command))
        check('WRITE DATA, confirmed', mac(cmc, plain), answer)
        compare('WRITE DATA, confirmed', cmc, plain, code=answer)
        kmc, cmc = kmc + 1, cmc + 1
if next(noted, None) is not None: raise SystemExit('more messages are noted than exchanged')

# Certificates: EC-SDSA with the hash over x and message
def verify(what, signature, message, x):
    global checked
    size = digest().digest_size
    challenge, s = signature[:size], int.from_bytes(signature[size:], 'big')
    point = lift(int.from_bytes(x, 'big'), p, b)
    other = multiply(-int.from_bytes(challenge, 'big') % order, point, p)
    x = add(multiply(s, base, p), other, p)[0]
    check(what, digest(coordinate(x) + message).digest(), challenge)
name = first(all_of(0xA4)[-1][1], '6F', '84')
profile = first(all_of(0xA8)[0][1], '77', '82')
size = digest().digest_size + count
issuer = first(records[3], '90')
check('issuer certificate', issuer[:2] + issuer[15:21], bytes([0x12, 0x00]) + known('authority', 'rid') + known('authority', 'index'))
verify('issuer certificate, signature', issuer[-size:], issuer[:-size], known('authority', 'x'))
static = records[2] + bytes([0x84, len(name)]) + name + profile
check('static data', static, known('local', 'staticData'))
hashed = hashlib.sha256(static).digest()
check('SDA hash', hashed, known('local', 'SDAHash'))
icc = first(records[4], '9F46')
check('ICC certificate', icc[:3] + icc[15:49 + count], bytes([0x14, 0x00, 0 if count == 32 else 1, 1, 2]) + hashed + coordinate(card[0]))
verify('ICC certificate, signature', icc[-size:], icc[:-size], issuer[21:21 + count])

# Local cryptogram
relay, relayed = all_of(0xEA)[-1]
generate, answer = all_of(0xAE)[0]
rest = b''.join(whole for tag, whole, _ in objects(first(answer, '77')) if tag not in ('9F26', '9F8105'))
text = pdol + data(generate) + data(relay) + first(relayed, '80') + rest + hashed
check('input of the IAD-MAC', text, known('local', 'input'))
code = cmac(ski, bytes(2) + text)
iad_mac = xor(decrypt(ski, code), code)[:8]
check('IAD-MAC', iad_mac, known('local', 'IADMAC'))
cryptogram = first(answer, '77', '9F26')
check('EDA-MAC', cmac(ski, bytes(2) + cryptogram + iad_mac)[:8], first(answer, '77', '9F8105'))
check('EDA-MAC, noted', first(answer, '77', '9F8105'), known('local', 'EDAMAC'))

# Application cryptogram
issuer_data = first(answer, '77', '9F10')
issuer_data = issuer_data[:24] + iad_mac + issuer_data[32:]
check('issuer application data', issuer_data, known('local', 'issuerApplicationData'))
number = first(records[2], '5A').hex().upper().rstrip('F') + known('panSequenceNumber').hex()
master = encrypt(known('issuerMasterKey'), bytes.fromhex(number.rjust(32, '0')))
counter = first(answer, '77', '9F36')
session_key = encrypt(master, counter + bytes(14))
computed = cmac(session_key, data(generate)[:29] + profile + counter + issuer_data)[:8]
check('application cryptogram', computed, cryptogram)
check('application cryptogram, noted', cryptogram, known('local', 'applicationCryptogram'))
print(f'{session["curve"]}: {checked} values')
