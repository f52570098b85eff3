"""A second implementation of the magnetic stripe's codes and recording (ISO/IEC 7811-2), for the tests.

  stripe.py encode CODE TEXT…    the bits of each track, sentinels and redundancy check included
  stripe.py decode CODE BITS…    what stands between the sentinels
  stripe.py write BITS…          the places of the flux transitions, ten units to a bit cell
  stripe.py read PLACES…         the bits between flux transitions at a steady speed

CODE is 7 or 5, the bits of a character; bits are 0 and 1 in the order of the stripe; places are joined by commas.
"""

import sys

SETS = {7: ' !"#$%&\'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_', 5: '0123456789:;<=>?'}
START = {7: '%', 5: ';'}

def character(width, value):
    text = format(value, 'b').zfill(width - 1)[::-1]
    return text + ('1' if text.count('1') % 2 == 0 else '0')

def encode(width, text):
    values = [SETS[width].index(letter) for letter in START[width] + text + '?']
    columns = [sum(value >> place & 1 for value in values) % 2 for place in range(width - 1)]
    check = sum(bit << place for place, bit in enumerate(columns))
    return ''.join(character(width, value) for value in values + [check])

def decode(width, bits):
    groups = [bits[i:i + width] for i in range(0, len(bits), width)]
    assert all(group.count('1') % 2 == 1 for group in groups), 'parity'
    values = [int(group[:-1][::-1], 2) for group in groups]
    text = ''.join(SETS[width][value] for value in values)
    end = text.index('?', 1)
    assert text[0] == START[width], 'start sentinel'
    for place in range(width - 1):
        assert sum(value >> place & 1 for value in values[:end + 2]) % 2 == 0, 'redundancy check'
    return text[1:end]

def write(bits):
    places = [0]
    for cell, bit in enumerate(bits):
        if bit == '1': places.append(cell * 10 + 5)
        places.append(cell * 10 + 10)
    return ','.join(map(str, places))

def read(places):
    steps = [b - a for a, b in zip(places, places[1:])]
    bits, i = '', 0
    while i < len(steps):
        if steps[i] > 7.5:
            bits, i = bits + '0', i + 1
        else:
            bits, i = bits + '1', i + 2
    return bits

operation, arguments = sys.argv[1], sys.argv[2:]
if operation in ('encode', 'decode'):
    width = int(arguments.pop(0))
    for argument in arguments: print((encode if operation == 'encode' else decode)(width, argument))
elif operation == 'write':
    for argument in arguments: print(write(argument))
else:
    for argument in arguments: print(read([float(place) for place in argument.split(',')]))
