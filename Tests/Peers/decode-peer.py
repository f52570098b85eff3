"""A second decoder of EMV data elements, for the tests: it shares no table with the one it judges.

  decode-peer.py SEED COUNT    COUNT values, spread over the tags below, and what each means: JSON

An object of the array:

  tag, value   hexadecimal digits
  aid          the application that the value belongs to, or null
  currency     the number of the transaction's currency (tag 5F2A), or null
  shown        the value as far as it may be shown; null if the value is not card data
  bits         byte, bit and name of each bit that is set, "reserved" for one without a name;
               null if the value has no bits
  isValid      false if the value breaks the rules of its tag; facts then say what it is not
  facts        what the value says, a text for each fact, in the order of the value; the flags of a
               field come before its numbers

Names are those of EMV 4.4: Book 1 annex B and 12.2.3, Book 2 chapter 8, Book 3 tables 14 and 15,
annexes A and C, Book 4 annexes A1 to A6. Of contactless data they are those of Book A, 5.7, and
Book C-3, annex A2. A fact may have fewer words than the book, never other ones.
"""

import json
import random
import sys

# MARK: Bits, from bit 8 of each byte on; None is reserved.

TVR = [
    ['Offline data authentication was not performed', 'SDA failed', 'ICC data missing',
     'Card appears on terminal exception file', 'DDA failed', 'CDA failed', 'SDA selected', 'XDA selected'],
    ['ICC and terminal have different application versions', 'Expired application', 'Application not yet effective',
     'Requested service not allowed for card product', 'New card', None, 'Biometric performed and successful',
     'Biometric template format not supported'],
    ['Cardholder verification was not successful', 'Unrecognised CVM', 'PIN Try Limit exceeded',
     'PIN entry required and PIN pad not present or not working',
     'PIN entry required, PIN pad present, but PIN was not entered', 'Online CVM captured',
     'Biometric required but Biometric capture device not working',
     'Biometric required, Biometric capture device present, but Biometric Subtype entry was bypassed'],
    ['Transaction exceeds floor limit', 'Lower consecutive offline limit exceeded', 'Upper consecutive offline limit exceeded',
     'Transaction selected randomly for online processing', 'Merchant forced transaction online',
     'Biometric Try Limit exceeded', 'A selected Biometric Type not supported', 'XDA signature verification failed'],
    ['Default TDOL used', 'Issuer authentication failed', 'Script processing failed before final GENERATE AC',
     'Script processing failed after final GENERATE AC', None, 'CA ECC key missing', 'ECC key recovery failed', None],
]

FIELDS = {
    '95': TVR, '9F0D': TVR, '9F0E': TVR, '9F0F': TVR,
    '82': [
        ['XDA supported', 'SDA supported', 'DDA supported', 'Cardholder verification is supported',
         'Terminal risk management is to be performed', 'Issuer authentication is supported', None, 'CDA supported'],
        [None] * 8,
    ],
    '9F07': [
        ['Valid for domestic cash transactions', 'Valid for international cash transactions', 'Valid for domestic goods',
         'Valid for international goods', 'Valid for domestic services', 'Valid for international services',
         'Valid at ATMs', 'Valid at terminals other than ATMs'],
        ['Domestic cashback allowed', 'International cashback allowed'] + [None] * 6,
    ],
    '9B': [
        ['Offline data authentication was performed', 'Cardholder verification was performed',
         'Card risk management was performed', 'Issuer authentication was performed',
         'Terminal risk management was performed', 'Script processing was performed', None, None],
        [None] * 8,
    ],
    '9F33': [
        ['Manual key entry', 'Magnetic stripe', 'IC with contacts'] + [None] * 5,
        ['Plaintext PIN for ICC verification', 'Enciphered PIN for online verification', 'Signature',
         'Enciphered PIN for offline verification (RSA)', 'No CVM Required', 'Online Biometric', 'Offline Biometric',
         'Enciphered PIN for offline verification (ECC)'],
        ['SDA', 'DDA', 'Card capture', None, 'CDA', 'XDA', None, None],
    ],
    '9F40': [
        ['Cash', 'Goods', 'Services', 'Cashback', 'Inquiry', 'Transfer', 'Payment', 'Administrative'],
        ['Cash Deposit'] + [None] * 7,
        ['Numeric keys', 'Alphabetical and special characters keys', 'Command keys', 'Function keys'] + [None] * 4,
        ['Print, attendant', 'Print, cardholder', 'Display, attendant', 'Display, cardholder', None, None,
         'Code table 10', 'Code table 9'],
        ['Code table ' + str(number) for number in range(8, 0, -1)],
    ],
    # Byte 2 bit 6, byte 3 bit 4 and byte 4 bit 8 are of Books C-3, C-6 and C-7.
    '9F66': [
        ['Mag-stripe mode supported', None, 'EMV mode supported', 'EMV contact chip supported', 'Offline-only reader',
         'Online PIN supported', 'Signature supported', 'Offline Data Authentication for Online Authorisations supported'],
        ['Online cryptogram required', 'CVM required', 'Contact Chip Offline PIN supported'] + [None] * 5,
        ['Issuer Update Processing supported', 'Consumer Device CVM supported', None, None, 'Consumer Device CVM required',
         None, None, None],
        ['fDDA supported'] + [None] * 7,
    ],
    '9F6C': [
        ['Online PIN Required', 'Signature Required',
         'Go Online if Offline Data Authentication Fails and Reader is online capable',
         'Switch Interface if Offline Data Authentication fails and Reader contact chip',
         'Go Online if Application Expired', 'Switch Interface for Cash Transactions',
         'Switch Interface for Cashback Transactions', 'Not valid for contactless ATM transactions'],
        ['Consumer Device CVM Performed', 'Card supports Issuer Update Processing at the Point of Sale'] + [None] * 6,
    ],
}

def set_bits(value):
    return [(byte + 1, bit) for byte in range(len(value)) for bit in range(8, 0, -1) if value[byte] >> bit - 1 & 1]

def named(table, value):
    """The bits that are set in `value`, with the names of `table`."""
    return [{'byte': byte, 'bit': bit, 'name': table[byte - 1][8 - bit] or 'reserved'} for byte, bit in set_bits(value)]

def flags(table, value):
    """The names of the bits that are set and have one."""
    return [bit['name'] for bit in named(table, value) if bit['name'] != 'reserved']

# MARK: Cardholder verification (Book 3, annex C3; Book 4, annex A4)

METHODS = {
    0x00: 'Fail CVM processing', 0x01: 'Plaintext PIN verification performed by ICC', 0x02: 'Enciphered PIN verified online',
    0x03: 'Plaintext PIN verification performed by ICC and signature', 0x04: 'Enciphered PIN verification performed by ICC',
    0x05: 'Enciphered PIN verification performed by ICC and signature', 0x1E: 'Signature', 0x1F: 'No CVM required',
}
for index, trait in enumerate(['Facial', 'Finger', 'Palm', 'Iris', 'Voice']):
    METHODS[0x06 + 2 * index] = trait + ' biometric verified offline'
    METHODS[0x07 + 2 * index] = trait + ' biometric verified online'

CONDITIONS = [
    'Always', 'If unattended cash', 'If not unattended cash and not manual cash and not purchase with cashback',
    'If terminal supports the CVM', 'If manual cash', 'If purchase with cashback',
    'If transaction is in the application currency and is under X value',
    'If transaction is in the application currency and is over X value',
    'If transaction is in the application currency and is under Y value',
    'If transaction is in the application currency and is over Y value',
]

def method(code):
    if code in METHODS:
        return METHODS[code]
    if code < 0x20:
        return 'Reserved for use by this specification'
    return 'Reserved for use by individual payment systems' if code < 0x30 else 'Reserved for use by the issuer'

def condition(code):
    if code < len(CONDITIONS):
        return CONDITIONS[code]
    return 'reserved EMV' if code < 0x80 else 'Reserved payment systems'

def cvm_list(value):
    if len(value) < 8 or len(value) % 2:
        return invalid('CVM list')
    facts = ['X %d Y %d' % (int.from_bytes(value[:4], 'big'), int.from_bytes(value[4:8], 'big'))]
    for at in range(8, len(value), 2):
        code = value[at] & 0x3F
        name = '3F not available for use' if code == 0x3F else method(code)
        # Bit 7: apply the succeeding rule, or fail cardholder verification.
        facts.append(' '.join([name, condition(value[at + 1]), 'rule' if value[at] & 0x40 else 'fail']))
    return valid(facts)

def cvm_results(value):
    if len(value) != 3:
        return invalid('CVM results')
    code, result = value[0] & 0x3F, value[2]
    ends = ['unknown', 'failed', 'successful']
    if code == 0x3F:
        end = ['', 'failed', 'successful'][result] if result < 3 else condition(value[1]) + ' reserved'
        return valid(['No CVM performed ' + end])
    return valid([' '.join([method(code), condition(value[1]), ends[result] if result < 3 else 'reserved'])])

# MARK: Cryptogram, file locator, lists (Book 3, tables 15 and 33, 5.4)

def cryptogram_information(value):
    facts = [['AAC', 'TC', 'ARQC', 'reserved'][value[0] >> 6]]
    if value[0] & 0x08:
        facts.append('Advice required')
    reason = value[0] & 0x07
    if reason:
        reasons = {1: 'Service not allowed', 2: 'PIN Try Limit exceeded', 3: 'Issuer authentication failed'}
        facts.append(reasons.get(reason, 'reserved'))
    return valid(facts)

def file_locator(value):
    """An interval of one record is named once; a count of no records is left out."""
    if not value or len(value) % 4:
        return invalid('application file locator')
    facts = []
    for at in range(0, len(value), 4):
        file, first, last, signed = value[at] >> 3, value[at + 1], value[at + 2], value[at + 3]
        if file in (0, 31) or first == 0 or last < first or signed > last - first + 1:
            return invalid('application file locator')
        records = 'record %d' % first if first == last else 'record %d %d' % (first, last)
        facts.append('SFI %d %s' % (file, records) + (' %d offline' % signed if signed else ''))
    return valid(facts)

# Annex A1.
NAMES = {
    '42': 'Issuer Identification Number', '50': 'Application Label', '5A': 'Application Primary Account Number',
    '5F24': 'Application Expiration Date', '5F2A': 'Transaction Currency Code', '5F34': 'Application PAN Sequence Number',
    '5F36': 'Transaction Currency Exponent', '82': 'Application Interchange Profile', '8A': 'Authorisation Response Code',
    '8E': 'Cardholder Verification Method List', '91': 'Issuer Authentication Data', '94': 'Application File Locator',
    '95': 'Terminal Verification Results', '98': 'TC Hash Value', '9A': 'Transaction Date',
    '9B': 'Transaction Status Information', '9C': 'Transaction Type', '9F01': 'Acquirer Identifier',
    '9F02': 'Amount, Authorised Numeric', '9F03': 'Amount, Other Numeric', '9F06': 'Application Identifier terminal',
    '9F07': 'Application Usage Control', '9F09': 'Application Version Number', '9F15': 'Merchant Category Code',
    '9F16': 'Merchant Identifier', '9F1A': 'Terminal Country Code', '9F1B': 'Terminal Floor Limit',
    '9F1C': 'Terminal Identification', '9F1D': 'Terminal Risk Management Data',
    '9F1E': 'Interface Device Serial Number', '9F21': 'Transaction Time', '9F27': 'Cryptogram Information Data',
    '9F33': 'Terminal Capabilities', '9F34': 'Cardholder Verification Method Results', '9F35': 'Terminal Type',
    '9F36': 'Application Transaction Counter', '9F37': 'Unpredictable Number', '9F39': 'Point-of-Service Entry Mode',
    '9F40': 'Additional Terminal Capabilities', '9F41': 'Transaction Sequence Counter', '9F45': 'Data Authentication Code',
    '9F4C': 'ICC Dynamic Number', '9F4E': 'Merchant Name and Location',
}

def tag_at(value, at):
    """The tag at `at` and the place behind it: further bytes while the first has five low bits, then while bit 8 is set."""
    end = at + 1
    if value[at] & 0x1F == 0x1F:
        while value[end] & 0x80:
            end += 1
        end += 1
    return value[at:end].hex().upper(), end

def object_list(value):
    facts, at = [], 0
    try:
        while at < len(value):
            tag, at = tag_at(value, at)
            facts.append('%s %s %d' % (tag, NAMES.get(tag, 'unknown'), value[at]))
            at += 1
    except IndexError:
        return invalid('data object list')
    return valid(facts)

def tag_list(value):
    facts, at = [], 0
    while at < len(value):
        tag, at = tag_at(value, at)
        facts.append('%s %s' % (tag, NAMES.get(tag, 'unknown')))
    return valid(facts)

# MARK: Numbers, dates and codes

def digits(value):
    """The decimal digits of format n; None if a nibble is not a digit."""
    text = value.hex()
    return text if text.isdecimal() else None

def date(value):
    text = digits(value)
    if text is None:
        return invalid('date')
    year, month, day = (int(text[at:at + 2]) for at in (0, 2, 4))
    year += 2000 if year < 50 else 1900
    leap = year % 4 == 0
    lengths = [31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    exists = 1 <= month <= 12 and 1 <= day <= lengths[month - 1]
    return valid(['%d-%s-%s' % (year, text[2:4], text[4:6]) + ('' if exists else ' impossible')])

def time(value):
    text = digits(value)
    if text is None:
        return invalid('time')
    exists = int(text[:2]) < 24 and int(text[2:4]) < 60 and int(text[4:]) < 60
    return valid([':'.join([text[:2], text[2:4], text[4:]]) + ('' if exists else ' impossible')])

# ISO 4217: the number, the letters, the decimals.
CURRENCIES = {
    36: ('AUD', 2), 48: ('BHD', 3), 124: ('CAD', 2), 152: ('CLP', 0), 156: ('CNY', 2), 203: ('CZK', 2), 208: ('DKK', 2),
    344: ('HKD', 2), 348: ('HUF', 2), 352: ('ISK', 0), 356: ('INR', 2), 376: ('ILS', 2), 392: ('JPY', 0), 400: ('JOD', 3),
    410: ('KRW', 0), 414: ('KWD', 3), 484: ('MXN', 2), 512: ('OMR', 3), 554: ('NZD', 2), 578: ('NOK', 2), 702: ('SGD', 2),
    704: ('VND', 0), 710: ('ZAR', 2), 752: ('SEK', 2), 756: ('CHF', 2), 784: ('AED', 2), 788: ('TND', 3), 826: ('GBP', 2),
    840: ('USD', 2), 946: ('RON', 2), 949: ('TRY', 2), 978: ('EUR', 2), 985: ('PLN', 2), 986: ('BRL', 2),
}

# ISO 3166-1: the number and the letters.
COUNTRIES = {
    36: 'AU', 40: 'AT', 56: 'BE', 76: 'BR', 124: 'CA', 152: 'CL', 156: 'CN', 203: 'CZ', 208: 'DK', 246: 'FI', 250: 'FR',
    276: 'DE', 300: 'GR', 344: 'HK', 348: 'HU', 352: 'IS', 356: 'IN', 372: 'IE', 376: 'IL', 380: 'IT', 392: 'JP', 410: 'KR',
    442: 'LU', 484: 'MX', 528: 'NL', 554: 'NZ', 578: 'NO', 616: 'PL', 620: 'PT', 702: 'SG', 710: 'ZA', 724: 'ES', 752: 'SE',
    756: 'CH', 784: 'AE', 792: 'TR', 826: 'GB', 840: 'US',
}

# ISO 639-1.
LANGUAGES = {
    'bg': 'Bulgarian', 'cs': 'Czech', 'da': 'Danish', 'de': 'German', 'el': 'Greek', 'en': 'English', 'es': 'Spanish',
    'et': 'Estonian', 'fi': 'Finnish', 'fr': 'French', 'hr': 'Croatian', 'hu': 'Hungarian', 'it': 'Italian', 'ja': 'Japanese',
    'ko': 'Korean', 'lt': 'Lithuanian', 'lv': 'Latvian', 'nl': 'Dutch', 'pl': 'Polish', 'pt': 'Portuguese', 'ro': 'Romanian',
    'ru': 'Russian', 'sk': 'Slovak', 'sl': 'Slovenian', 'sv': 'Swedish', 'tr': 'Turkish', 'uk': 'Ukrainian', 'zh': 'Chinese',
}

def amount(number, currency):
    if currency is None:
        return valid(['%d' % number])
    letters, places = CURRENCIES[currency]
    text = str(number).zfill(places + 1)
    return valid([(text[:-places] + '.' + text[-places:] if places else text) + ' ' + letters])

def decimal_amount(value, currency):
    text = digits(value)
    return invalid('decimal') if text is None else amount(int(text), currency)

def binary_amount(value, currency):
    return amount(int.from_bytes(value, 'big'), currency)

def listed(table, name, value):
    text = digits(value)
    row = None if text is None else table.get(int(text))
    return invalid(name) if row is None else valid([row[0] if isinstance(row, tuple) else row])

def binary(value):
    return valid(['%d' % int.from_bytes(value, 'big')])

def terminal_type(value):
    """Book 4, annex A1."""
    text = value.hex()
    places = {'1': 'financial institution', '2': 'merchant', '3': 'cardholder'}
    reach = {'1': 'attended online only', '2': 'attended offline with online capability', '3': 'attended offline only',
             '4': 'unattended online only', '5': 'unattended offline with online capability', '6': 'unattended offline only'}
    if text[0] not in places or text[1] not in reach or (text[0] == '3' and text[1] in '123'):
        return invalid('terminal type')
    return valid([reach[text[1]] + ' ' + places[text[0]]])

# ISO 8583:1987, field 3, positions 1 and 2.
TRANSACTION_TYPES = {
    '00': 'goods services', '01': 'cash', '02': 'adjustment debit', '09': 'cashback', '20': 'refund', '21': 'deposit',
    '22': 'adjustment credit', '30': 'available funds inquiry', '31': 'balance inquiry', '40': 'cardholder account transfer',
}

# ISO 8583:1987, field 22, positions 1 and 2.
ENTRY_MODES = {
    '00': 'not specified', '01': 'manual', '03': 'bar code', '04': 'characters', '05': 'ICC contacts',
    '07': 'ICC contactless', '80': 'ICC not read magnetic stripe', '90': 'magnetic stripe', '91': 'magnetic stripe contactless',
    '95': 'ICC contacts unreliable',
}

# Book 3, annex G.
ACCOUNT_TYPES = {'00': 'default', '10': 'savings', '20': 'cheque debit', '30': 'credit'}

# Y and Z by Book 4, annex A6; the others by ISO 8583:1987, field 39.
RESPONSES = {
    'Y1': 'offline approved', 'Z1': 'offline declined', 'Y3': 'unable to go online, offline approved',
    'Z3': 'unable to go online, offline declined', '00': 'approved', '01': 'issuer', '03': 'invalid merchant',
    '04': 'pick up', '05': 'do not honour', '12': 'invalid transaction', '13': 'invalid amount', '14': 'invalid card number',
    '30': 'format error', '41': 'lost card', '43': 'stolen card pick up', '51': 'insufficient funds', '54': 'expired card',
    '55': 'PIN', '57': 'transaction not permitted to cardholder', '58': 'transaction not permitted to terminal',
    '61': 'exceeds withdrawal limit', '62': 'restricted card', '65': 'exceeds withdrawal frequency', '75': 'PIN tries exceeded',
    '91': 'issuer or switch inoperative', '96': 'system malfunction',
}

def coded(table, value):
    """What the code stands for; a code that the standard leaves open says nothing."""
    text = value.hex()
    return valid([table[text]] if text in table else [])

def response(value):
    text = value.decode('ascii')
    return valid([(text + ' ' + RESPONSES.get(text, '')).strip()])

def service_code(value):
    """ISO/IEC 7813: interchange, authorisation, services and PIN."""
    first, second, third = value.hex()[1:]
    interchange = {'1': 'international', '2': 'international ICC', '5': 'national', '6': 'national ICC', '7': 'agreement',
                   '9': 'test'}
    authorisation = {'0': 'normal', '2': 'issuer', '4': 'issuer unless agreed'}
    services = {'0': 'no restrictions PIN required', '1': 'no restrictions', '2': 'goods and services only',
                '3': 'ATM only PIN required', '4': 'cash only', '5': 'goods and services only PIN required',
                '6': 'no restrictions PIN where feasible', '7': 'goods and services only PIN where feasible'}
    return valid([' '.join([interchange.get(first, 'reserved'), authorisation.get(second, 'reserved'),
                            services.get(third, 'reserved')])])

def track2_fields(value):
    """Book 3, annex A1: PAN, D, YYMM, service code, discretionary data, F."""
    number, rest = value.hex().upper().rstrip('F').split('D')
    exists = 1 <= int(rest[2:4]) <= 12
    facts = ['PAN %s' % number, 'expires %s %s' % (rest[:2], rest[2:4]) + ('' if exists else ' impossible'),
             'service code %s %s' % (rest[4:7], service_code(bytes.fromhex('0' + rest[4:7]))[1][0])]
    return valid(facts + (['discretionary data %s' % rest[7:]] if rest[7:] else []))

def priority(value):
    """Book 1, table 48."""
    confirmation = 'not selected without confirmation' if value[0] & 0x80 else 'selected without confirmation'
    order = value[0] & 0x0F
    return valid([confirmation, 'priority %d' % order if order else 'no priority'])

def languages(value):
    text = value.decode('ascii')
    return valid([text + ' ' + ' '.join(LANGUAGES.get(text[at:at + 2], 'unknown') for at in range(0, len(text), 2))])

def log_entry(value):
    return valid(['file %d records %d' % (value[0], value[1])])

def script_results(value):
    """Book 4, annex A5."""
    if not value or len(value) % 5:
        return invalid('script results')
    facts = []
    for at in range(0, len(value), 5):
        result, command = value[at] >> 4, value[at] & 0x0F
        end = {0: 'not performed', 1: 'failed', 2: 'successful'}.get(result, 'reserved')
        facts.append(' '.join([value[at + 1:at + 5].hex(), end] + ([str(command)] if command else [])))
    return valid(facts)

# Book 3, C10.
STATUS_UPDATE = [
    ['Proprietary Authentication Data Included'] + [None] * 7,
    ['Issuer Approves Online Transaction', 'Card Block', 'Application Block', 'Update PIN Try Counter',
     'Set Go Online on Next Transaction', 'CSU Created by Proxy for the Issuer', None, None],
    [None] * 8, [None] * 8,
]

def issuer_authentication(value):
    """Book 2, 8.2: method 1 has ten bytes; with another length it is method 2."""
    if len(value) == 10:
        return valid(['ARPC ' + value[:8].hex(), 'authorisation response code ' + response(value[8:])[1][0]])
    update = value[4:8]
    facts = ['ARPC method 2 ' + value[:4].hex(), 'card status update ' + update.hex()] + flags(STATUS_UPDATE, update)
    facts.append(['Do Not Update Offline Counters', 'Set Offline Counters to Upper Offline Limits',
                  'Reset Offline Counters to Zero', 'Add Transaction to Offline Counter'][update[1] & 3])
    if update[1] & 0x10:
        facts.append('PIN try counter %d' % (update[0] & 0x0F))
    if len(value) > 8:
        facts.append('proprietary authentication data ' + value[8:].hex())
    return valid(facts)

# MARK: Issuer application data

def cryptograms(byte):
    second = ['second GENERATE AC AAC', 'second GENERATE AC TC', 'second GENERATE AC not requested', 'reserved']
    first = ['first GENERATE AC AAC', 'first GENERATE AC TC', 'first GENERATE AC ARQC', 'reserved']
    return [second[byte >> 6], first[byte >> 4 & 3]]

# Book 3, C9.3.
CCD_RESULTS = [
    [None, None, None, None, 'CDA Performed', 'Offline DDA Performed', 'Issuer Authentication Not Performed',
     'Issuer Authentication Failed'],
    [None, None, None, None, 'Offline PIN Verification Performed',
     'Offline PIN Verification Performed and PIN Not Successfully Verified', 'PIN Try Limit Exceeded',
     'Last Online Transaction Not Completed'],
    ['Lower Offline Transaction Count Limit Exceeded', 'Upper Offline Transaction Count Limit Exceeded',
     'Lower Cumulative Offline Amount Limit Exceeded', 'Upper Cumulative Offline Amount Limit Exceeded',
     'Issuer-discretionary bit 1', 'Issuer-discretionary bit 2', 'Issuer-discretionary bit 3', 'Issuer-discretionary bit 4'],
    [None, None, None, None, 'Issuer Script Processing Failed', 'Offline Data Authentication Failed on Previous Transaction',
     'Go Online on Next Transaction Was Set', 'Unable to go Online'],
    [None] * 8,
]

def common_core(value):
    """Format A: length, identifier, key index, CVR (5), counters (8), length, the issuer's own (15)."""
    results = value[3:8]
    cipher = {5: 'triple DES', 6: 'AES'}.get(value[1] & 0x0F, 'reserved')
    return valid(
        ['Common Core Definitions cryptogram version %d' % (value[1] & 0x0F), 'length 0F',
         'common core identifier ' + value[1:2].hex(), cipher, 'derivation key index ' + value[2:3].hex(),
         'card verification results ' + results.hex()] + cryptograms(results[0]) + flags(CCD_RESULTS, results)
        + ['PIN try counter %d' % (results[1] >> 4), '%d script commands' % (results[3] >> 4),
           'counters ' + value[8:16].hex(), 'length 0F', 'issuer discretionary data ' + value[17:].hex()])

# Of the payment systems' own codings the books say nothing: these are the fields as personalization guides publish them.
VISA_RESULTS = [
    [None, None, None, None, 'Issuer authentication failed', 'Offline PIN verification performed',
     'Offline PIN verification failed', 'Unable to go online'],
    ['Last online transaction not completed', 'PIN try limit exceeded', 'velocity checking counters exceeded', 'New card',
     'Issuer authentication failure on last online transaction',
     'Issuer authentication not performed after online authorisation',
     'Application blocked by card because PIN try limit exceeded',
     'Offline static data authentication failed on last transaction declined offline'],
    [None, None, None, None, 'Issuer script processing failed on last transaction',
     'Offline dynamic data authentication failed on last transaction declined offline',
     'Offline dynamic data authentication performed', 'PIN verification command not received for a PIN-expecting card'],
]

def visa(value):
    results = value[4:7]
    return valid(
        ['Visa cryptogram version %d' % value[2], 'length 06', 'derivation key index ' + value[1:2].hex(),
         'cryptogram version number ' + value[2:3].hex(), '%d' % value[2], 'card verification results ' + value[3:7].hex()]
        + cryptograms(results[0]) + flags(VISA_RESULTS, results) + ['%d script commands' % (results[2] >> 4)]
        + (['issuer discretionary data ' + value[7:].hex()] if len(value) > 7 else []))

MASTERCARD_RESULTS = [
    [None, None, None, None, 'Date check failed', 'Offline PIN verification performed',
     'Offline enciphered PIN verification performed', 'Offline PIN verification successful'],
    ['DDA returned', 'CDA returned in first GENERATE AC', 'CDA returned in second GENERATE AC',
     'Issuer authentication performed', 'CIAC default skipped on CAT 3', 'Offline change PIN result successful',
     'Issuer discretionary bit 1', 'Issuer discretionary bit 2'],
    [None] * 8,
    ['Last online transaction not completed', 'Unable to go online', 'Offline PIN verification not performed',
     'Offline PIN verification failed', 'PIN try limit exceeded', 'International transaction', 'Domestic transaction',
     'Terminal erroneously considers offline PIN OK'],
    ['Lower consecutive offline 1 limit exceeded', 'Upper consecutive offline 1 limit exceeded',
     'Lower cumulative offline 1 limit exceeded', 'Upper cumulative offline 1 limit exceeded',
     'Go online on next transaction was set', 'Issuer authentication failed', 'Script received', 'Script failed'],
    ['Lower counter 2 limit exceeded', 'Upper counter 2 limit exceeded', 'Lower accumulator 2 limit exceeded',
     'Upper accumulator 2 limit exceeded', 'Maximum transaction amount exceeded', 'Number of days offline limit exceeded',
     'Match found in additional check table', 'No match found in additional check table'],
]

def mastercard(value):
    results = value[2:8]
    end = 18 if len(value) < 26 else 26
    key = {0: 'Mastercard session key', 2: 'EMV common session key'}.get(value[1] >> 1 & 3, 'reserved session key')
    return valid(
        ['Mastercard cryptogram version ' + value[1:2].hex(), 'derivation key index ' + value[:1].hex(),
         'cryptogram version number ' + value[1:2].hex(), key,
         'counters in cryptogram' if value[1] & 1 else 'counters not in cryptogram',
         'card verification results ' + results.hex()] + cryptograms(results[0]) + flags(MASTERCARD_RESULTS, results)
        + ['script counter %d' % (results[2] >> 4), 'PIN try counter %d' % (results[2] & 0x0F),
           'data authentication code ICC dynamic number ' + value[8:10].hex(), 'counters ' + value[10:end].hex()]
        + (['last online ATC ' + value[end:].hex()] if len(value) > end else []))

VISA_AID, MASTERCARD_AID = 'A0000000031010', 'A0000000041010'

def application_data(value, aid):
    return {VISA_AID: visa, MASTERCARD_AID: mastercard, None: common_core}[aid](value)

# MARK: Card data (PCI DSS 4.0, 3.3.1 and 3.4.1)

def masked(tag, value):
    text = value.hex().upper()
    if tag == '5A':
        number = text.rstrip('F')
        first = 6 if len(number) > 12 else 0
        return number[:first] + '*' * (len(number) - first - 4) + number[-4:] + text[len(number):]
    return '*' * len(text) if tag in ('57', '5F24') else None

# MARK: Values, at random

def valid(facts):
    return True, facts

def invalid(what):
    return False, [what]

class Draw(random.Random):
    def one_in(self, count):
        return self.randrange(count) == 0

    def data(self, count):
        return bytes(self.randrange(256) for _ in range(count))

    def field(self, count):
        """Few bits, half of them, all, or a wrong length."""
        if self.one_in(20):
            return self.data(self.choice([count - 1, count + 1]))
        kind = self.randrange(4)
        if kind == 0:
            bit = self.randrange(count * 8)
            return (1 << bit).to_bytes(count, 'big')
        return bytes(count) if kind == 1 and self.one_in(4) else self.data(count)

    def decimals(self, count):
        return bytes.fromhex(''.join(self.choice('0123456789') for _ in range(count * 2)))

    def perhaps_decimals(self, count):
        return self.data(count) if self.one_in(8) else self.decimals(count)

    def date(self):
        return bytes.fromhex('%02d%02d%02d' % (self.randrange(100), self.randrange(14), self.randrange(33))) \
            if not self.one_in(8) else self.data(3)

    def time(self):
        return bytes.fromhex('%02d%02d%02d' % tuple(self.randrange(65) for _ in range(3))) if not self.one_in(8) else self.data(3)

    def code(self, table):
        number = self.choice(sorted(table)) if not self.one_in(8) else self.randrange(4)
        return bytes.fromhex('%04d' % number) if not self.one_in(12) else bytes([self.randrange(0xA0, 0x100), 0x40])

    def rules(self):
        count = self.randrange(6) * 2 if not self.one_in(20) else 3
        return self.data(8) + bytes(
            byte for _ in range(count // 2)
            for byte in (self.choice(sorted(METHODS) + [0x15, 0x25, 0x35, 0x3F]) | self.choice([0, 0x40, 0x80]),
                         self.choice(list(range(12)) + [0x7F, 0x80, 0xFF]))) + self.data(count % 2)

    def locator(self):
        entries = b''
        for _ in range(1 + self.randrange(4)):
            first = 1 + self.randrange(20)
            last = first + self.choice([0, self.randrange(10)])
            entries += bytes([(1 + self.randrange(30)) << 3 | self.randrange(8), first, last,
                              self.randrange(last - first + 2)])
        return entries if not self.one_in(6) else self.data(len(entries)) + self.data(self.randrange(2))

    def objects(self):
        tags = [self.choice(sorted(NAMES) + ['DF01', 'DF7E', '9F8101']) for _ in range(self.randrange(12))]
        value = b''.join(bytes.fromhex(tag) + bytes([self.randrange(256)]) for tag in tags)
        return value[:-1] if value and self.one_in(10) else value

    def number(self):
        """Of no issuer: behind a 9 comes the number of a country (ISO/IEC 7812-1), and none begins with 9."""
        return '99' + ''.join(self.choice('0123456789') for _ in range(10 + self.randrange(8)))

    def answer(self):
        return self.choice(sorted(RESPONSES) + ['06', '99', 'A5', 'N7']).encode()

    def application(self, aid):
        if aid == VISA_AID:
            tail = self.data(self.randrange(16))
            return bytes([0x06]) + self.data(2) + bytes([0x03]) + self.data(3) + tail
        if aid == MASTERCARD_AID:
            return self.data(1) + bytes([0x10 | self.randrange(8)]) + self.data(self.choice([16, 18, 24, 26]))
        return bytes([0x0F, 0xA0 | self.choice([4, 5, 6])]) + self.data(14) + bytes([0x0F]) + self.data(15)

def even(text):
    return bytes.fromhex(text + 'F' * (len(text) % 2))

def track2(draw):
    discretionary = ''.join(draw.choice('0123456789') for _ in range(draw.randrange(8)))
    return even(draw.number() + 'D' + draw.decimals(2).hex() + draw.choice(['101', '201', '601']) + discretionary)

# By tag: how a value is drawn, and what it says: (draw), (value, currency, aid).
TAGS = {tag: (lambda draw, count=len(table): draw.field(count), None) for tag, table in FIELDS.items()}
for tag, drawn, meaning in [
    ('8E', Draw.rules, cvm_list),
    ('9F34', lambda draw: draw.rules()[8:10] + bytes([draw.randrange(4)]), cvm_results),
    ('9F35', lambda draw: bytes([draw.choice([draw.randrange(256), 0x10 * (1 + draw.randrange(3)) + 1 + draw.randrange(6)])]),
     terminal_type),
    ('9F27', lambda draw: draw.data(1), cryptogram_information),
    ('94', Draw.locator, file_locator),
    ('8C', Draw.objects, object_list), ('8D', Draw.objects, object_list), ('97', Draw.objects, object_list),
    ('9F38', Draw.objects, object_list), ('9F49', Draw.objects, object_list),
    ('9F4A', lambda draw: b''.join(bytes.fromhex(draw.choice(sorted(NAMES))) for _ in range(1 + draw.randrange(3))), tag_list),
    ('9A', Draw.date, date), ('5F24', Draw.date, date), ('5F25', Draw.date, date), ('9F21', Draw.time, time),
    ('5F2A', lambda draw: draw.code(CURRENCIES), lambda value: listed(CURRENCIES, 'currency', value)),
    ('9F42', lambda draw: draw.code(CURRENCIES), lambda value: listed(CURRENCIES, 'currency', value)),
    ('9F1A', lambda draw: draw.code(COUNTRIES), lambda value: listed(COUNTRIES, 'country', value)),
    ('5F28', lambda draw: draw.code(COUNTRIES), lambda value: listed(COUNTRIES, 'country', value)),
    ('9F39', lambda draw: bytes.fromhex(draw.choice(sorted(ENTRY_MODES))), lambda value: coded(ENTRY_MODES, value)),
    ('9C', lambda draw: bytes.fromhex(draw.choice(sorted(TRANSACTION_TYPES) + ['99', '98'])),
     lambda value: coded(TRANSACTION_TYPES, value)),
    ('5F57', lambda draw: bytes.fromhex(draw.choice(sorted(ACCOUNT_TYPES) + ['40'])), lambda value: coded(ACCOUNT_TYPES, value)),
    ('5F30', lambda draw: bytes.fromhex('0' + ''.join(draw.choice('0123456789') for _ in range(3))), service_code),
    ('8A', Draw.answer, response),
    ('91', lambda draw: draw.data(8) + draw.answer() if draw.one_in(2) else draw.data(draw.choice([9, 11, 12, 16])),
     issuer_authentication),
    ('9F5B', lambda draw: b''.join(bytes([draw.choice([0, 1, 2, 7]) << 4 | draw.randrange(16)]) + draw.data(4)
                                   for _ in range(1 + draw.randrange(3))) + draw.data(0 if draw.randrange(8) else 1),
     script_results),
    ('9F36', lambda draw: draw.data(2), binary), ('9F13', lambda draw: draw.data(2), binary),
    ('9F14', lambda draw: draw.data(1), binary), ('9F23', lambda draw: draw.data(1), binary),
    ('9F17', lambda draw: draw.data(1), binary), ('9F4D', lambda draw: draw.data(2), log_entry),
    ('87', lambda draw: draw.data(1), priority),
    ('5F2D', lambda draw: ''.join(draw.choice(sorted(LANGUAGES) + ['qq']) for _ in range(1 + draw.randrange(4))).encode(),
     languages),
    ('57', track2, track2_fields), ('5A', lambda draw: even(draw.number()), None),
]:
    TAGS[tag] = (drawn, meaning)

AMOUNTS = {'9F02': decimal_amount, '9F03': decimal_amount, '81': binary_amount, '9F04': binary_amount, '9F1B': binary_amount}

def judged(tag, draw):
    aid = currency = None
    if tag == '9F10':
        aid = draw.choice([None, VISA_AID, MASTERCARD_AID])
        value = draw.application(aid)
        is_valid, facts = application_data(value, aid)
    elif tag in AMOUNTS:
        currency = draw.choice([None] + sorted(CURRENCIES))
        value = draw.perhaps_decimals(6) if AMOUNTS[tag] is decimal_amount else draw.data(4)
        is_valid, facts = AMOUNTS[tag](value, currency)
    else:
        value = TAGS[tag][0](draw)
        if tag in FIELDS:
            count = len(FIELDS[tag])
            is_valid, facts = valid([]) if len(value) == count else invalid('%d bytes' % count)
        else:
            is_valid, facts = TAGS[tag][1](value) if TAGS[tag][1] else valid([])
    bits = named(FIELDS[tag], value) if tag in FIELDS and is_valid else None
    return {'tag': tag, 'value': value.hex().upper(), 'aid': aid, 'currency': currency, 'shown': masked(tag, value),
            'bits': bits, 'isValid': is_valid, 'facts': facts}

seed, count = (int(argument) for argument in sys.argv[1:])
draw = Draw(seed)
tags = list(TAGS) + list(AMOUNTS) + ['9F10']
print(json.dumps([judged(tags[index % len(tags)], draw) for index in range(count)]))
