"""A gateway with the vendor's published XML and REST interfaces, and nothing else, on a free port of loopback.

Written from the vendor's documents: the fields, hashes and error codes of its XML pages ("XML Payment Features", "XML Secure Token
Features", "Special Fields and Parameters") and the models of its Merchant API, version 1. A member that the description does not
have, a required one that is missing, and a payload that it does not list for the channel are refused; hashes are computed here.
What the description leaves open is decided in one place each and marked "Open".

usage: gateway.py TERMINAL SECRET API_KEY: prints the port, ends with its standard input.

For the test only: GET /ledger tells what was booked and refused; PUT /control takes
  {"fault": NAME}   for the next request that moves money or stores a card, see `Handler.exchange`,
  {"settle": true}  every open payment settles,
  {"clearChips": BOOL}  whether chips without a key serial number are taken. The description requires one.
"""
import datetime
import decimal
import hashlib
import hmac
import http.server
import json
import re
import sys
import threading
import urllib.parse
import xml.etree.ElementTree as ElementTree

TERMINAL, SECRET, API_KEY = sys.argv[1:4]
TOKEN = "eyJhbGciOiJub25lIn0.e30."
CUSTOM_FIELDS = ["InvoiceNumber"]


class Refusal(Exception):
    def __init__(self, status, message, code=None, where=None):
        super().__init__(message)
        self.status, self.message, self.code, self.where = status, message, code, where


# MARK: The ledger

class Ledger:
    def __init__(self):
        self.transactions, self.cards, self.refused = [], {}, []
        self.clear_chips, self.fault = False, None

    def reference(self):
        return f"GP{len(self.transactions):08d}"

    def decide(self, amount):
        """Above 100.00 the last three digits are the issuer's code, as in the vendor's sandbox."""
        digits = f"{amount:.2f}".replace(".", "")[-3:]
        return digits[1:] if amount > 100 and digits[0] == "0" and digits != "000" else "00"

    def book(self, order, kind, amount, currency, card, code="00", **more):
        if kind != "REFUND" or "original" not in more:
            if any(entry["order"] == order and "original" not in entry for entry in self.transactions):
                raise Refusal(422, "Order Already Processed")
        approved = code == "00"
        status = ("PENDING" if kind == "PREAUTH" else "READY") if approved else "REFERRAL" if code in ("01", "02") else "DECLINED"
        entry = {
            "reference": self.reference(), "order": order, "kind": kind, "amount": amount, "currency": currency, "code": code,
            "status": status, "approval": "475318" if approved else None, "time": datetime.datetime.now().astimezone(),
            "refunded": decimal.Decimal(0), **card, **more,
        }
        self.transactions.append(entry)
        return entry

    def find(self, reference, refund=False):
        for entry in self.transactions:
            if entry["reference"] == reference and (entry["kind"] == "REFUND") == refund:
                return entry
        raise Refusal(404, "Transaction not found", "E04")

    def refund(self, reference, amount, **more):
        """The refund's own id of the merchant is Open: no request has one. It stands under the order that it refunds."""
        payment = self.find(reference)
        if payment["code"] != "00" or payment["status"] in ("VOID", "REVERSAL") or payment["kind"] == "PREAUTH":
            raise Refusal(422, "Transaction cannot be refunded", "E03")
        if payment["refunded"] + amount > payment["amount"]:
            raise Refusal(422, "Refund amount exceeds the amount of the transaction", "E03")
        card = {name: payment[name] for name in ("pan", "expiry", "holder", "entry")}
        entry = self.book(payment["order"], "REFUND", amount, payment["currency"], card, original=reference, **more)
        payment["refunded"] += amount
        return entry

    def capture(self, reference, amount):
        payment = self.find(reference)
        if payment["kind"] != "PREAUTH" or payment["status"] != "PENDING":
            raise Refusal(422, "Transaction cannot be captured", "E03")
        amount = payment["amount"] if amount is None else amount
        # Open: how far above the authorized amount a capture may go. Here 20 %.
        if amount > payment["amount"] * decimal.Decimal("1.2"):
            raise Refusal(422, "Capture amount exceeds the safe margin", "E03")
        payment.update(kind="COMPLETION", status="READY", amount=amount)
        return payment

    def reverse(self, entry):
        if entry["status"] not in ("READY", "PENDING"):
            raise Refusal(422, "Transaction cannot be reversed", "E03")
        entry["status"] = "REVERSAL"
        if "original" in entry:
            self.find(entry["original"])["refunded"] -= entry["amount"]
        return entry

    def store(self, reference, card, **more):
        # Of a deleted card the reference stays taken.
        if reference in self.cards:
            raise Refusal(422, "Merchant reference already in use", "E32")
        body = f"296753{len(self.cards) + 1:09d}"
        self.cards[reference] = {"token": body + luhn(body), "deleted": False, **card, **more}
        return self.cards[reference]

    def card(self, reference):
        card = self.cards.get(reference)
        if card is None or card["deleted"]:
            raise Refusal(404, "INVALID MERCHANTREF", "E08")
        return card

    def by_token(self, token):
        for card in self.cards.values():
            if card["token"] == token and not card["deleted"]:
                return {**{name: card[name] for name in ("pan", "expiry", "holder")}, "entry": "TOKEN"}
        raise Refusal(422, "Invalid card number", "E10")

    def state(self):
        transactions = [
            {"order": entry["order"], "kind": entry["kind"], "amount": str(entry["amount"]), "status": entry["status"],
             "code": entry["code"], "entry": entry["entry"], "fields": entry.get("fields", {}),
             "original": entry.get("original"), "offline": entry.get("offline"), "strokes": entry.get("strokes"),
             "tip": entry.get("tip"), "ended": entry.get("pan", "")[-4:]}
            for entry in self.transactions]
        cards = [
            {"reference": reference, "token": card["token"], "ended": card["pan"][-4:], "deleted": card["deleted"],
             "fields": card.get("fields", {}), "entry": card["entry"], "customer": card.get("customer")}
            for reference, card in self.cards.items()]
        return {"transactions": transactions, "cards": cards, "refused": self.refused}


def luhn(digits):
    total = 0
    for index, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if index % 2 == 0 else 1)
        total += value - 9 if value > 9 else value
    return str(-total % 10)


def card_number(digits):
    if not re.fullmatch(r"\d{12,19}", digits) or luhn(digits[:-1]) != digits[-1]:
        raise Refusal(422, "Invalid card number", "E10")
    return digits


def keyed_card(number, expiry, holder, entry="KEYED"):
    if not re.fullmatch(r"(0[1-9]|1[0-2])\d\d", expiry or ""):
        raise Refusal(422, "Invalid expiry date", "E11")
    return {"pan": card_number(number), "expiry": expiry, "holder": holder, "entry": entry}


def swiped_card(track, holder=None, entry="SWIPED"):
    match = re.fullmatch(r";(\d{12,19})=(\d\d)(\d\d)\d{3,}\?", track)
    if not match:
        raise Refusal(422, "Invalid track data")
    return {"pan": card_number(match[1]), "expiry": match[3] + match[2], "holder": holder, "entry": entry}


def enciphered_card(data, ksn, holder=None):
    """The keys are the processor's, not the gateway's: number and date stay unknown here."""
    if not re.fullmatch(r"([0-9A-Fa-f]{16})+", data) or not re.fullmatch(r"[0-9A-Fa-f]{16,20}", ksn):
        raise Refusal(422, "Invalid encrypted data", "E33")
    return {"pan": "0" * 16, "expiry": "1299", "holder": holder, "entry": "ENCRYPTED"}


def elements(data):
    """EMV 4.4 Book 3, annex B: tag, length, value, one after the other."""
    found, place = {}, 0
    while place < len(data):
        start = place
        place += 1
        if data[start] & 0x1F == 0x1F:
            while data[place] & 0x80:
                place += 1
            place += 1
        tag = data[start:place].hex().upper()
        length = data[place]
        place += 1
        if length & 0x80:
            count = length & 0x7F
            length = int.from_bytes(data[place:place + count], "big")
            place += count
        if place + length > len(data):
            raise IndexError
        found[tag] = data[place:place + length]
        place += length
    return found


# Of an authorisation request (EMV 4.4 Book 4, 12.1.1).
AUTHORISATION = ["9F26", "9F27", "9F10", "9F37", "9F36", "95", "9A", "9C", "9F02", "5F2A", "82", "9F1A"]


def chip_card(text, amount):
    try:
        data = elements(bytes.fromhex(text))
    except (ValueError, IndexError):
        raise Refusal(400, "Unable to deserialize value", where="tlv") from None
    missing = [tag for tag in AUTHORISATION if tag not in data]
    if missing or not ("5A" in data or "57" in data):
        raise Refusal(422, f"Missing EMV tags: {' '.join(missing)}")
    if amount is not None and int(data["9F02"].hex()) != int(amount * 100):
        raise Refusal(422, "The amount of the cryptogram differs from the amount of the order")
    number = data["5A"].hex().rstrip("fF") if "5A" in data else re.match(r"\d+", data["57"].hex())[0]
    expiry = data["5F24"].hex() if "5F24" in data else None
    return {
        "pan": card_number(number), "expiry": expiry[2:4] + expiry[:2] if expiry else None,
        "holder": data["5F20"].decode("latin1") if "5F20" in data else None,
        "entry": {"07": "TAPPED", "91": "TAPPED"}.get(data.get("9F39", b"").hex(), "INSERTED"), "isChip": True}


# MARK: REST: the models of the description

class Model:
    def __init__(self, **members):
        self.members = members
        self.required = {name for name, kind in self.members.items() if isinstance(kind, Required)}

    def check(self, value, path):
        if not isinstance(value, dict):
            raise Refusal(400, "Unable to deserialize value", where=path)
        for name in value:
            if name not in self.members:
                raise Refusal(400, f"Unrecognized property {path}.{name}", where=f"{path}.{name}")
        for name in self.required:
            if name not in value:
                raise Refusal(400, f"Missing required property {path}.{name}", where=f"{path}.{name}")
        for name, content in value.items():
            check(self.members[name], content, f"{path}.{name}")


class Required:
    def __init__(self, kind):
        self.kind = kind


class Text:
    def __init__(self, longest, pattern=None):
        self.longest, self.pattern = longest, pattern

    def check(self, value, path):
        if not isinstance(value, str) or len(value) > self.longest or (self.pattern and not re.fullmatch(self.pattern, value)):
            raise Refusal(400, f"Unable to deserialize value of {path}", where=path)


class OneOf:
    def __init__(self, *values):
        self.values = values

    def check(self, value, path):
        if value not in self.values:
            raise Refusal(400, f"Unable to deserialize value of {path}: {list(self.values)}", where=path)


class Amount:
    def check(self, value, path):
        if not isinstance(value, decimal.Decimal) or value < 0:
            raise Refusal(400, f"Unable to deserialize value of {path}", where=path)


class Flag:
    def check(self, value, path):
        if not isinstance(value, bool):
            raise Refusal(400, f"Unable to deserialize value of {path}", where=path)


class Some:
    def __init__(self, kind):
        self.kind = kind

    def check(self, value, path):
        if not isinstance(value, list):
            raise Refusal(400, f"Unable to deserialize value of {path}", where=path)
        for item in value:
            check(self.kind, item, path)


class Variants:
    """The model whose name a member has."""

    def __init__(self, discriminator, **models):
        self.discriminator, self.models = discriminator, models

    def check(self, value, path):
        name = value.get(self.discriminator) if isinstance(value, dict) else None
        if name not in self.models:
            raise Refusal(400, f"Unable to deserialize value of {path}.{self.discriminator}", where=path)
        self.models[name].check({key: content for key, content in value.items() if key != self.discriminator}, path)


def check(kind, value, path):
    (kind.kind if isinstance(kind, Required) else kind).check(value, path)


def must(kind):
    return Required(kind)


WORD, LINE = Text(50), Text(255)
CURRENCY = Text(3, "[A-Z]{3}")
DATE = Text(40, r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
ADDRESS = Model(line1=LINE, line2=LINE, postalCode=WORD, city=LINE, state=LINE, country=Text(2, "[A-Z]{2}"))
CUSTOMER = Model(name=WORD, phone=WORD, email=LINE, notificationLanguage=Text(2), billingAddress=ADDRESS, shippingAddress=ADDRESS)
IP_ADDRESS = Model(ipv4=Text(15), ipv6=Text(45))
FIELDS = Some(Model(name=must(WORD), value=must(LINE)))
CATEGORY = OneOf("ATTENDED", "UNATTENDED")
DEVICE = Model(type=must(Text(30)), category=CATEGORY, serialNumber=WORD, firmwareVersion=WORD)
ENCRYPTING = dict(type=must(Text(30)), category=CATEGORY, serialNumber=WORD, firmwareVersion=WORD)
PIN = Model(pin=must(Text(16, "[0-9A-Fa-f]{16}")), pinKsn=must(Text(20)))
SIGNATURE = Text(1600, "([0-9a-r]{4})+")
HEX = Text(65536, "([0-9A-Fa-f]{2})+")
CARD = dict(cardNumber=must(Text(19)), expiryDate=Text(4), cvv=Text(4, r"\d{3,4}"), issueNumber=Text(3))


def payloads(ledger):
    chip_device = Model(**ENCRYPTING, dataKsn=Text(20) if ledger.clear_chips else must(Text(20)))
    return Variants(
        "payloadType",
        KEYED=Model(
            cardholderName=WORD, cardDetails=must(Variants("dataFormat", PLAIN_TEXT=Model(**CARD, device=DEVICE))), pinDetails=PIN),
        EMV=Model(
            downgradeTo=OneOf("MAG_STRIPE", "KEYED"), device=must(chip_device), tlv=HEX,
            tags=Some(Model(hex=must(Text(8)), value=must(HEX))), firstDigitOfPan=Text(1), cardholderSignature=SIGNATURE),
        MAG_STRIPE=Model(
            downgradeTo=OneOf("KEYED"), cardholderName=WORD, cardholderSignature=SIGNATURE, pinDetails=PIN, additionalTlvData=HEX,
            cardDetails=must(Variants(
                "dataFormat", PLAIN_TEXT=Model(device=must(DEVICE), trackData=must(Text(40))),
                ENCRYPTED=Model(
                    device=must(Model(**ENCRYPTING, dataKsn=must(Text(20)))), encryptedData=must(HEX), firstDigitOfPan=Text(1),
                    fallback=Flag(), fallbackReason=OneOf("TECHNICAL", "EMPTY_CANDIDATE_LIST"))))),
        SECURE_CREDENTIALS=Model(credentialsNumber=must(Text(19)), cvv=Text(4)))


# "Customer Account Payloads" of the description, what is modelled of it here.
OF_CHANNEL = {
    "POS": {"KEYED", "EMV", "MAG_STRIPE"}, "MOTO": {"KEYED", "SECURE_CREDENTIALS"}, "WEB": {"KEYED", "SECURE_CREDENTIALS"}}
CHANNEL = OneOf("POS", "MOTO", "WEB")


def payment_model(ledger):
    tip = Model(type=must(OneOf("PERCENTAGE", "FIXED_AMOUNT")), percentage=Amount(), amount=Amount())
    order = Model(
        orderId=must(Text(24)), description=Text(1024), currency=must(CURRENCY), totalAmount=must(Amount()),
        orderBreakdown=Model(subtotalAmount=must(Amount()), cashbackAmount=Amount(), tip=tip))
    return Model(
        channel=CHANNEL, terminal=must(WORD), operator=WORD, order=must(order), customer=CUSTOMER, customerAccount=payloads(ledger),
        credentialOnFile=Model(
            tokenize=must(Flag()), merchantReference=Text(200), usageAgreement=OneOf("UNSCHEDULED", "RECURRING", "INSTALLMENT")),
        ipAddress=IP_ADDRESS, autoCapture=Flag(), processAsSale=Flag(), additionalDataFields=FIELDS,
        offlineProcessing=Model(
            operation=OneOf("OFFLINE_DECLINE", "OFFLINE_APPROVAL", "DEFERRED_AUTHORIZATION"), approvalCode=Text(48), dateTime=DATE))


def refund_model(ledger):
    return Model(
        channel=OneOf("POS", "MOTO"), terminal=must(WORD), operator=WORD, orderId=must(Text(24)), currency=must(CURRENCY),
        refundAmount=must(Amount()), refundReason=must(LINE), customer=CUSTOMER, customerAccount=payloads(ledger),
        ipAddress=IP_ADDRESS, additionalDataFields=FIELDS)


def store_model(ledger):
    return Model(
        terminal=must(WORD), operator=WORD, merchantReference=Text(200), ipAddress=IP_ADDRESS, customer=CUSTOMER,
        customerAccount=must(payloads(ledger)), additionalDataFields=FIELDS)


UPDATED_CARD = Model(cardholderName=WORD, cardNumber=Text(19), expiryDate=Text(4), cvv=Text(4), issueNumber=Text(3))
UPDATE = Model(
    terminal=must(WORD), operator=WORD, customer=CUSTOMER, additionalDataFields=FIELDS,
    customerAccount=Variants("source", CARD=UPDATED_CARD))
REFUND_OF_PAYMENT = Model(operator=WORD, refundAmount=must(Amount()), refundReason=must(LINE))
CAPTURE = Model(operator=WORD, captureAmount=Amount())
REVERSAL = Model(
    operator=WORD, reversalAmount=Amount(), reversalReason=LINE, customerAccount=Model(), ipAddress=IP_ADDRESS)
SEARCH = {
    "terminal", "afterDate", "beforeDate", "batchType", "settlementDate", "resourceType", "orderId", "uniqueReference", "operator",
    "customerName", "panFirstSix", "panLastFour", "statusGroup", "pageSize", "next"}


class REST:
    ROOT = "/merchant/api/v1"

    def __init__(self, ledger):
        self.ledger = ledger

    def answer(self, method, path, query, headers, body):
        """Status and document."""
        try:
            return self.route(method, path.removeprefix(self.ROOT), query, headers, body)
        except Refusal as refusal:
            self.ledger.refused.append(refusal.message)
            source = {"location": "BODY", "property": refusal.where} if refusal.where else None
            detail = {"errorCode": f"X_{refusal.status}_001", "errorMessage": refusal.message, "source": source}
            return refusal.status, {"debugIdentifier": f"request-{len(self.ledger.refused)}", "details": [detail]}

    def route(self, method, path, query, headers, body):
        authorization = headers.get("Authorization", "")
        if (method, path) == ("GET", "/account/authenticate"):
            if not hmac.compare_digest(authorization, f"Basic {API_KEY}"):
                raise Refusal(401, "Invalid API key")
            return 200, {
                "audience": "localhost", "boundTo": "till", "tokenType": "Bearer", "token": TOKEN, "expiresIn": 1,
                "enableReceipts": False, "enableHypermedia": False, "roles": [], "allowedTerminals": [TERMINAL]}
        if not hmac.compare_digest(authorization, f"Bearer {TOKEN}"):
            raise Refusal(401, "Invalid access token")
        operations = [
            ("GET", r"/account/terminals/([^/]+)", self.settings), ("POST", "/transaction/payments", self.pay),
            ("GET", r"/transaction/payments/(\w+)", self.payment), ("PATCH", r"/transaction/payments/(\w+)/capture", self.capture),
            ("PATCH", r"/transaction/payments/(\w+)/reverse", self.reverse_payment),
            ("POST", r"/transaction/payments/(\w+)/refunds", self.refund_payment), ("POST", "/transaction/refunds", self.refund),
            ("GET", r"/transaction/refunds/(\w+)", self.refund_of), ("PATCH", r"/transaction/refunds/(\w+)/reverse", self.reverse_refund),
            ("GET", "/transaction/transactions", self.search), ("POST", "/customer/credentials", self.store),
            ("GET", "/customer/credentials/([^/]+)", self.stored), ("PATCH", "/customer/credentials/([^/]+)", self.update),
            ("DELETE", "/customer/credentials/([^/]+)", self.delete),
        ]
        known = False
        for verb, pattern, operation in operations:
            match = re.fullmatch(pattern, path)
            if not match:
                continue
            known = True
            if verb == method:
                return self.perform(operation, [urllib.parse.unquote(part) for part in match.groups()], query, headers, body)
        raise Refusal(405, "Method not allowed") if known else Refusal(404, "Resource not found")

    def perform(self, operation, parts, query, headers, body):
        document = None
        if body:
            if headers.get("Content-Type", "").split(";")[0] != "application/json":
                raise Refusal(415, "Unsupported media type")
            try:
                document = json.loads(body, parse_float=decimal.Decimal, parse_int=decimal.Decimal)
            except ValueError:
                raise Refusal(400, "Malformed document") from None
        return operation(*parts, query=query, document=document)

    @staticmethod
    def checked(model, document, terminal=True):
        model.check({} if document is None else document, "body")
        if terminal and document["terminal"] != TERMINAL:
            raise Refusal(403, "Terminal not allowed")
        fields = {field["name"]: field["value"] for field in (document or {}).get("additionalDataFields", [])}
        for name in fields:
            if name not in CUSTOM_FIELDS:
                raise Refusal(422, f"Unknown custom field {name}")
        return fields

    def card(self, account, channel=None, amount=None):
        if account is None:
            raise Refusal(422, "Missing customer account")
        kind, details = account["payloadType"], account.get("cardDetails", {})
        if channel is not None and kind not in OF_CHANNEL[channel]:
            raise Refusal(422, f"Payload {kind} not supported over channel {channel}")
        holder, strokes = account.get("cardholderName"), account.get("cardholderSignature")
        if kind == "SECURE_CREDENTIALS":
            card = self.ledger.by_token(account["credentialsNumber"])
        elif kind == "KEYED":
            card = keyed_card(details["cardNumber"], details.get("expiryDate"), holder)
        elif kind == "EMV":
            if "tlv" not in account and "tags" not in account:
                raise Refusal(422, "Missing EMV tags")
            card = chip_card(account.get("tlv") or "", amount)
        elif "trackData" in details:
            card = swiped_card(details["trackData"], holder, "TAPPED" if "additionalTlvData" in account else "SWIPED")
        else:
            card = enciphered_card(details["encryptedData"], details["device"]["dataKsn"], holder)
        return {**card, "strokes": strokes}

    # Payments

    def pay(self, query, document):
        fields = self.checked(payment_model(self.ledger), document)
        order, offline = document["order"], document.get("offlineProcessing", {}).get("operation")
        amount = order["totalAmount"]
        breakdown = order.get("orderBreakdown", {})
        if breakdown and breakdown["subtotalAmount"] + breakdown.get("tip", {}).get("amount", 0) != amount:
            raise Refusal(422, "The parts of the order do not sum up to its amount")
        # Without a channel the account's own applies: that of a shop.
        card = self.card(document.get("customerAccount"), document.get("channel", "POS"), amount)
        code = {"OFFLINE_DECLINE": "05", "OFFLINE_APPROVAL": "00"}.get(offline) or self.ledger.decide(amount)
        kind = "OFFLINE_DECLINE" if offline == "OFFLINE_DECLINE" else "SALE" if document.get("autoCapture", True) else "PREAUTH"
        file = document.get("credentialOnFile", {})
        tip = breakdown.get("tip", {}).get("amount")
        entry = self.ledger.book(
            order["orderId"], kind, amount, order["currency"], card, code, fields=fields, offline=offline,
            tip=None if tip is None else str(tip))
        answer = self.answer_of(entry)
        if file.get("tokenize") and code == "00":
            reference = file.get("merchantReference") or f"auto-{entry['reference']}"
            stored = self.ledger.store(reference, card, customer=document.get("customer"))
            answer["transactionResult"]["storedPaymentCredentials"] = self.credentials(reference, stored)
        return 201, answer

    def payment(self, reference, query, document):
        return 200, self.answer_of(self.ledger.find(reference))

    def capture(self, reference, query, document):
        self.checked(CAPTURE, document, terminal=False)
        return 200, self.answer_of(self.ledger.capture(reference, (document or {}).get("captureAmount")))

    def reverse_payment(self, reference, query, document):
        self.checked(REVERSAL, document, terminal=False)
        return 200, self.answer_of(self.ledger.reverse(self.ledger.find(reference)))

    def refund_payment(self, reference, query, document):
        self.checked(REFUND_OF_PAYMENT, document, terminal=False)
        return 201, self.answer_of(self.ledger.refund(reference, document["refundAmount"], reason=document["refundReason"]))

    def refund(self, query, document):
        fields = self.checked(refund_model(self.ledger), document)
        amount = document["refundAmount"]
        card = self.card(document.get("customerAccount"), document.get("channel", "POS"), amount)
        entry = self.ledger.book(
            document["orderId"], "REFUND", amount, document["currency"], card, fields=fields, reason=document["refundReason"])
        return 201, self.answer_of(entry)

    def refund_of(self, reference, query, document):
        return 200, self.answer_of(self.ledger.find(reference, refund=True))

    def reverse_refund(self, reference, query, document):
        if document is not None:
            raise Refusal(400, "The operation has no body")
        return 200, self.answer_of(self.ledger.reverse(self.ledger.find(reference, refund=True)))

    @staticmethod
    def result_code(entry):
        return {"00": "A", "01": "R", "02": "R", "04": "C", "07": "C", "41": "C", "43": "C"}.get(entry["code"], "D")

    def answer_of(self, entry):
        refund = entry["kind"] == "REFUND"
        account = {"cardholderName": entry["holder"], "maskedPan": masked(entry["pan"]), "expiryDate": entry["expiry"]}
        account["entryMethod"] = entry["entry"]
        result = {
            "type": entry["kind"], "status": entry["status"], "approvalCode": entry["approval"], "dateTime": entry["time"].isoformat(),
            "currency": entry["currency"], "authorizedAmount": -entry["amount"] if refund else entry["amount"],
            "resultCode": self.result_code(entry), "resultMessage": "APPROVAL" if entry["code"] == "00" else "DECLINED",
            "processorResultCode": entry["code"]}
        document = {"uniqueReference": entry["reference"], "terminal": TERMINAL, "operator": "till"}
        if refund:
            document.update(orderId=entry["order"], refundReason=entry.get("reason"))
        else:
            document["order"] = {"orderId": entry["order"], "currency": entry["currency"], "totalAmount": entry["amount"]}
        document.update(customerAccount=account, transactionResult=result)
        if entry.get("isChip"):
            document["emvTags"] = [{"hex": "8A", "value": entry["code"].encode().hex()}]
        return document

    def search(self, query, document):
        if "terminal" not in query or query["terminal"] != TERMINAL:
            raise Refusal(400, "Missing required parameter terminal")
        for name in query:
            if name not in SEARCH:
                raise Refusal(400, f"Unrecognized parameter {name}")
        chosen = [
            entry for entry in reversed(self.ledger.transactions)
            if query.get("orderId", entry["order"]) == entry["order"]
            and query.get("uniqueReference", entry["reference"]) == entry["reference"]
            and ("resourceType" not in query or (query["resourceType"] == "REFUND") == (entry["kind"] == "REFUND"))
            and ("afterDate" not in query or datetime.datetime.fromisoformat(query["afterDate"]) <= entry["time"])
            and ("beforeDate" not in query or entry["time"] <= datetime.datetime.fromisoformat(query["beforeDate"]))]
        return 200, {"data": [
            {"uniqueReference": entry["reference"], "terminal": TERMINAL, "operator": "till", "orderId": entry["order"],
             "dateTime": entry["time"].isoformat(), "customerName": entry["holder"], "maskedPan": masked(entry["pan"]),
             "type": entry["kind"], "resultCode": self.result_code(entry), "status": entry["status"], "currency": entry["currency"],
             "amount": -entry["amount"] if entry["kind"] == "REFUND" else entry["amount"]}
            for entry in chosen[:int(query.get("pageSize", 10))]]}

    # Secure cards

    def store(self, query, document):
        fields = self.checked(store_model(self.ledger), document)
        account = document["customerAccount"]
        if account["payloadType"] == "SECURE_CREDENTIALS":
            raise Refusal(422, "Payload SECURE_CREDENTIALS not supported")
        if account.get("cardDetails", {}).get("cvv") == "999":
            raise Refusal(422, "Card validation failed")
        reference = document.get("merchantReference") or f"auto-{len(self.ledger.cards)}"
        stored = self.ledger.store(reference, self.card(account), fields=fields, customer=document.get("customer"))
        return 201, self.credentials(reference, stored)

    def stored(self, reference, query, document):
        self.owned(query.get("terminal"))
        return 200, self.credentials(reference, self.ledger.card(reference))

    def update(self, reference, query, document):
        fields = self.checked(UPDATE, document)
        card, account = self.ledger.card(reference), document.get("customerAccount", {})
        if "cardNumber" in account or "expiryDate" in account:
            number, expiry = account.get("cardNumber", card["pan"]), account.get("expiryDate", card["expiry"])
            card.update(keyed_card(number, expiry, account.get("cardholderName", card["holder"])))
        if "additionalDataFields" in document:
            card["fields"] = fields
        if "customer" in document:
            card["customer"] = document["customer"]
        return 200, self.credentials(reference, card)

    def delete(self, reference, query, document):
        self.owned(query.get("terminal"))
        self.ledger.card(reference)["deleted"] = True
        return 204, None

    @staticmethod
    def owned(terminal):
        if terminal != TERMINAL:
            raise Refusal(400, "Missing required parameter terminal")

    @staticmethod
    def credentials(reference, card):
        return {
            "terminal": TERMINAL, "merchantReference": reference, "credentialsNumber": card["token"], "maskedPan": masked(card["pan"]),
            "securityCheck": "NOT_VALIDATED",
            "additionalDataFields": [{"name": name, "value": value} for name, value in card.get("fields", {}).items()]}

    def settings(self, terminal, query, document):
        if terminal != TERMINAL:
            raise Refusal(404, "Terminal not found")
        fields = [
            {"type": "STRING", "name": name, "displayName": name, "displayOrder": index, "paymentPage": False, "subscription": False,
             "secureCredentialsOnly": False, "mandatory": False} for index, name in enumerate(CUSTOM_FIELDS)]
        merchant = {"name": "Corner Shop", "mcc": "5411", "phone": "+3531000000", "email": "shop@example.org"}
        return 200, {
            "paymentProcessor": "TEST", "terminalNumber": TERMINAL, "merchantDetails": merchant, "terminalCustomFields": fields,
            "supportedCards": ["VISA", "MASTERCARD"]}


def masked(number):
    return number[:6] + "*" * (len(number) - 10) + number[-4:]


# MARK: XML: elements in their order; ? behind what may be missing, () around a group, CUSTOMFIELD any number of times

CARD_TYPES = {
    "VISA", "VISA DEBIT", "ELECTRON", "MASTERCARD", "DEBIT MASTERCARD", "MAESTRO", "LASER", "AMEX", "DINERS", "JCB", "DISCOVER",
    "CUP SECUREPAY", "SECURECARD"}
FORMS = {
    "PAYMENT": (
        "ORDERID TERMINALID AMOUNT DATETIME TRACKDATA? CARDNUMBER? DUKPTCARDDETAILS(ENCRYPTEDTRACK,KSN,FORMATID)? CARDTYPE CARDEXPIRY? "
        "CARDHOLDERNAME? HASH CURRENCY TERMINALTYPE TRANSACTIONTYPE AUTOREADY? EMAIL? CVV? ISSUENO? ADDRESS1? ADDRESS2? POSTCODE? "
        "DESCRIPTION? XID? CAVV? MPIREF? MOBILENUMBER? DEVICEID? PHONE? CITY? REGION? COUNTRY? IPADDRESS? SIGNATURE? CUSTOMFIELD*",
        "TERMINALID ORDERID AMOUNT DATETIME"),
    "PREAUTH": (
        "ORDERID TERMINALID AMOUNT DATETIME CARDNUMBER CARDTYPE CARDEXPIRY? CARDHOLDERNAME? HASH CURRENCY TERMINALTYPE TRANSACTIONTYPE "
        "EMAIL? CVV? ISSUENO? ADDRESS1? ADDRESS2? POSTCODE? DESCRIPTION? CITY? REGION? COUNTRY? IPADDRESS? CUSTOMFIELD*",
        "TERMINALID ORDERID AMOUNT DATETIME"),
    "PREAUTHCOMPLETION": ("UNIQUEREF TERMINALID AMOUNT DESCRIPTION? DATETIME CVV? HASH", "TERMINALID UNIQUEREF AMOUNT DATETIME"),
    "REFUND": ("UNIQUEREF TERMINALID AMOUNT DATETIME HASH OPERATOR REASON AUTOREADY?", "TERMINALID UNIQUEREF AMOUNT DATETIME"),
    "UNREFERENCEDREFUND": (
        "ORDERID TERMINALID CARDREFERENCE? CARDDETAILS(CARDTYPE,CARDNUMBER,CARDEXPIRY,CARDHOLDERNAME)? CURRENCY? AMOUNT EMAIL? "
        "AUTOREADY? DATETIME HASH OPERATOR DESCRIPTION?",
        "TERMINALID ORDERID CARDTYPE CARDNUMBER CARDEXPIRY CARDHOLDERNAME AMOUNT DATETIME"),
    "SECURECARDREGISTRATION": (
        "MERCHANTREF TERMINALID DATETIME CARDNUMBER CARDEXPIRY CARDTYPE CARDHOLDERNAME HASH DONTCHECKSECURITY? CVV? ISSUENO? "
        "PERMITTEDTERMINALS? CUSTOMFIELD*",
        "TERMINALID MERCHANTREF DATETIME CARDNUMBER CARDEXPIRY CARDTYPE CARDHOLDERNAME"),
    "SECURECARDUPDATE": (
        "MERCHANTREF TERMINALID DATETIME CARDNUMBER? CARDEXPIRY? CARDTYPE CARDHOLDERNAME? HASH DONTCHECKSECURITY? CVV? ISSUENO? "
        "PERMITTEDTERMINALS? CUSTOMFIELD*",
        "TERMINALID MERCHANTREF DATETIME CARDNUMBER CARDEXPIRY CARDTYPE CARDHOLDERNAME"),
    "SECURECARDREMOVAL": ("MERCHANTREF CARDREFERENCE TERMINALID DATETIME HASH", "TERMINALID MERCHANTREF DATETIME CARDREFERENCE"),
    "SECURECARDSEARCH": ("MERCHANTREF TERMINALID DATETIME HASH", "TERMINALID MERCHANTREF DATETIME"),
}
LONGEST = {"ORDERID": 24, "MERCHANTREF": 48, "OPERATOR": 20, "SIGNATURE": 1600}


def digest(values):
    return hashlib.sha512(":".join([value for value in values if value] + [SECRET]).encode()).hexdigest()


class XML:
    def __init__(self, ledger):
        self.ledger = ledger

    def answer(self, body):
        try:
            return self.perform(body)
        except Refusal as refusal:
            self.ledger.refused.append(refusal.message)
            return document("ERROR", ([("ERRORCODE", refusal.code)] if refusal.code else []) + [("ERRORSTRING", refusal.message)])

    def perform(self, body):
        try:
            root = ElementTree.fromstring(body)
        except ElementTree.ParseError:
            raise Refusal(400, "Premature end of file.") from None
        if root.tag not in FORMS:
            raise Refusal(400, f"Cannot find the declaration of element '{root.tag}'.", "E07")
        form, hashed = FORMS[root.tag]
        values, fields = read(root, form)
        for name, longest in LONGEST.items():
            if len(values.get(name, "")) > longest:
                raise Refusal(400, f"Invalid {name} field")
        if values["TERMINALID"] != TERMINAL:
            raise Refusal(400, "INVALID TERMINALID", "E06")
        if not re.fullmatch(r"\d\d-\d\d-\d{4}:\d\d:\d\d:\d\d:\d{3}", values["DATETIME"]):
            raise Refusal(400, "INVALID DATETIME", "E09")
        if not hmac.compare_digest(digest([values.get(name) for name in hashed.split()]), values["HASH"].lower()):
            raise Refusal(400, "INVALID HASH", "E13")
        if "CARDTYPE" in values and values["CARDTYPE"] not in CARD_TYPES:
            raise Refusal(400, "INVALID CARDTYPE", "E05")
        for name in fields:
            if name not in CUSTOM_FIELDS:
                raise Refusal(400, f"Unknown custom field {name}")
        return getattr(self, root.tag.lower())(values, fields)

    # Payments

    @staticmethod
    def amount(values):
        if not re.fullmatch(r"\d{1,10}\.\d\d", values["AMOUNT"]):
            raise Refusal(400, "Invalid AMOUNT field")
        return decimal.Decimal(values["AMOUNT"])

    def card(self, values):
        if values.get("CARDTYPE") == "SECURECARD":
            return self.ledger.by_token(values.get("CARDNUMBER"))
        if "CARDREFERENCE" in values:
            return self.ledger.by_token(values["CARDREFERENCE"])
        if "TRACKDATA" in values or "ENCRYPTEDTRACK" in values:
            if (values["TERMINALTYPE"], values["TRANSACTIONTYPE"]) != ("3", "0"):
                raise Refusal(400, "Invalid TERMINALTYPE field")
            return (swiped_card(values["TRACKDATA"]) if "TRACKDATA" in values
                    else enciphered_card(values["ENCRYPTEDTRACK"], values["KSN"]))
        if "CARDNUMBER" not in values:
            raise Refusal(400, "INVALID CARDNUMBER", "E10")
        return keyed_card(values["CARDNUMBER"], values.get("CARDEXPIRY"), values.get("CARDHOLDERNAME"))

    def booked(self, values, kind, fields):
        if "TERMINALTYPE" in values and values["TERMINALTYPE"] not in ("1", "2", "3"):
            raise Refusal(400, "Invalid TERMINALTYPE field")
        amount = self.amount(values)
        code = "00" if kind == "REFUND" else self.ledger.decide(amount)
        return self.ledger.book(
            values["ORDERID"], kind, amount, values.get("CURRENCY"), self.card(values), code, fields=fields,
            strokes=values.get("SIGNATURE"))

    def payment(self, values, fields):
        return self.answer_of("PAYMENTRESPONSE", values, self.booked(values, "SALE", fields))

    def preauth(self, values, fields):
        return self.answer_of("PREAUTHRESPONSE", values, self.booked(values, "PREAUTH", fields), bank_code_last=False)

    def preauthcompletion(self, values, fields):
        entry = self.ledger.capture(values["UNIQUEREF"], self.amount(values))
        return self.answer_of("PREAUTHCOMPLETIONRESPONSE", values, entry, bank_code=False)

    def answer_of(self, name, values, entry, bank_code=True, bank_code_last=True):
        code = REST.result_code(entry)
        text = "APPROVAL" if entry["code"] == "00" else "DECLINED"
        approval = [("APPROVALCODE", entry["approval"] or "")]
        bank = [("BANKRESPONSECODE", entry["code"])] if bank_code else []
        parts = [("UNIQUEREF", entry["reference"]), ("RESPONSECODE", code), ("RESPONSETEXT", text)]
        parts += approval + bank if bank_code_last else bank + approval
        parts.append(("DATETIME", stamp(entry["time"])))
        bank_value = entry["code"] if bank_code else None
        covered = [TERMINAL, entry["reference"], values["AMOUNT"], stamp(entry["time"]), code, text, bank_value]
        return document(name, parts + [("HASH", digest(covered))])

    def refund(self, values, fields):
        entry = self.ledger.refund(values["UNIQUEREF"], self.amount(values), reason=values["REASON"])
        return self.refunded("REFUNDRESPONSE", values, entry, values["UNIQUEREF"])

    def unreferencedrefund(self, values, fields):
        entry = self.booked(values, "REFUND", fields)
        return self.refunded("UNREFERENCEDREFUNDRESPONSE", values, entry, entry["reference"])

    @staticmethod
    def refunded(name, values, entry, reference):
        time = stamp(entry["time"])
        covered = [TERMINAL, reference, values["AMOUNT"], time, "A", "SUCCESS"]
        parts = [("RESPONSECODE", "A"), ("RESPONSETEXT", "SUCCESS"), ("UNIQUEREF", reference), ("DATETIME", time)]
        return document(name, parts + [("HASH", digest(covered))])

    # Secure cards

    def securecardregistration(self, values, fields):
        if not values["CARDHOLDERNAME"]:
            raise Refusal(400, "INVALID CARDHOLDERNAME", "E12")
        if values.get("CVV") == "999":
            raise Refusal(400, "CVV FAILED", "E14")
        card = keyed_card(values["CARDNUMBER"], values["CARDEXPIRY"], values["CARDHOLDERNAME"])
        stored = self.ledger.store(values["MERCHANTREF"], card, fields=fields, type=values["CARDTYPE"])
        return self.stored("SECURECARDREGISTRATIONRESPONSE", values, stored)

    def securecardupdate(self, values, fields):
        card = self.ledger.card(values["MERCHANTREF"])
        if "CARDNUMBER" in values:
            card.update(keyed_card(values["CARDNUMBER"], values["CARDEXPIRY"], values.get("CARDHOLDERNAME")))
        card.update(fields=fields, type=values["CARDTYPE"])
        return self.stored("SECURECARDUPDATERESPONSE", values, card)

    @staticmethod
    def stored(name, values, card):
        time = stamp(datetime.datetime.now())
        covered = [TERMINAL, values["MERCHANTREF"], card["token"], time]
        parts = [("MERCHANTREF", values["MERCHANTREF"]), ("CARDREFERENCE", card["token"]), ("DATETIME", time)]
        return document(name, parts + [("HASH", digest(covered))])

    def securecardremoval(self, values, fields):
        card = self.ledger.card(values["MERCHANTREF"])
        if card["token"] != values["CARDREFERENCE"]:
            raise Refusal(400, "INVALID CARDREFERENCE", "E04")
        card["deleted"] = True
        time = stamp(datetime.datetime.now())
        covered = [TERMINAL, values["MERCHANTREF"], time]
        return document(
            "SECURECARDREMOVALRESPONSE", [("MERCHANTREF", values["MERCHANTREF"]), ("DATETIME", time), ("HASH", digest(covered))])

    def securecardsearch(self, values, fields):
        card, time = self.ledger.card(values["MERCHANTREF"]), stamp(datetime.datetime.now())
        shown = [card["token"], card.get("type", "VISA"), card["expiry"], card["holder"]]
        names = ["CARDREFERENCE", "CARDTYPE", "CARDEXPIRY", "CARDHOLDERNAME"]
        covered = [TERMINAL, values["MERCHANTREF"], *shown, time]
        parts = [("MERCHANTREF", values["MERCHANTREF"]), *zip(names, shown), ("DATETIME", time), ("HASH", digest(covered))]
        return document("SECURECARDSEARCHRESPONSE", parts)


def read(root, form):
    values, fields, rest = {}, {}, list(root)
    for part in form.split():
        name, is_optional = part.rstrip("?*"), part[-1] in "?*"
        group = re.fullmatch(r"(\w+)\((.*)\)", name)
        if name == "CUSTOMFIELD":
            while rest and rest[0].tag == name:
                element = rest.pop(0)
                fields[element.get("NAME", "")] = (element.text or "")[:100]
        elif rest and rest[0].tag == (group[1] if group else name):
            element = rest.pop(0)
            if group:
                if [child.tag for child in element] != group[2].split(","):
                    raise Refusal(400, f"The content of element '{group[1]}' is not complete.")
                values.update({child.tag: child.text or "" for child in element})
            else:
                values[name] = element.text or ""
        elif not is_optional:
            found = rest[0].tag if rest else "/" + root.tag
            raise Refusal(400, f"Invalid content was found starting with element '{found}'. One of '{{{name}}}' is expected.")
    if rest:
        raise Refusal(400, f"Invalid content was found starting with element '{rest[0].tag}'.")
    return values, fields


def document(name, parts):
    root = ElementTree.Element(name)
    for tag, text in parts:
        ElementTree.SubElement(root, tag).text = text
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root)


def stamp(time):
    return time.strftime("%d-%m-%Y:%H:%M:%S:") + f"{time.microsecond // 1000:03d}"


# MARK: HTTP

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    ledger, lock = Ledger(), threading.Lock()

    def handle_request(self):
        self.close_connection = True
        path, _, query = self.path.partition("?")
        query = dict(urllib.parse.parse_qsl(query))
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with self.lock:
            if path == "/ledger":
                return self.send(200, "application/json", encoded(self.ledger.state()))
            if path == "/control":
                self.control(json.loads(body))
                return self.send(200, "application/json", b"{}")
            self.exchange(path, query, body)

    def control(self, request):
        if "fault" in request:
            self.ledger.fault = request["fault"]
        if "clearChips" in request:
            self.ledger.clear_chips = request["clearChips"]
        if request.get("settle"):
            for entry in self.ledger.transactions:
                if entry["status"] == "READY":
                    entry["status"] = "COMPLETE"

    def exchange(self, path, query, body):
        """A request and its answer, with the fault that was asked for.

        lost: carried out, and the connection ends without an answer. page: a proxy's page, and nothing is carried out. late page: the
        page in place of the answer. doubled: the network brings the request twice, and the answer to the second arrives.
        """
        fault = None
        if self.command != "GET" and self.command != "OPTIONS":
            fault, self.ledger.fault = self.ledger.fault, None
        if fault != "page":
            answer = self.answer(path, query, body)
        if fault == "doubled":
            answer = self.answer(path, query, body)
        if fault == "lost":
            return
        if fault in ("page", "late page"):
            return self.send(503, "text/html", b"<html><body>Service Unavailable</body></html>")
        self.send(*answer)

    def answer(self, path, query, body):
        if path == "/merchant/xmlpayment":
            if self.command != "POST":
                return 405, "text/html", b"<html><body>Method Not Allowed</body></html>"
            return 200, "text/xml", XML(self.ledger).answer(body)
        status, found = REST(self.ledger).answer(self.command, path, query, self.headers, body)
        return status, "application/json", b"" if found is None else encoded(found)

    do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = do_OPTIONS = handle_request

    def send(self, status, kind, content):
        self.send_response_only(status)
        if status == 401:
            self.send_header("WWW-Authenticate", "Bearer")
        if status != 204:
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Content-Type", kind)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def encoded(value):
    """JSON with amounts as numbers, and without members that have no value."""
    if isinstance(value, dict):
        return b"{" + b",".join(encoded(key) + b":" + encoded(item) for key, item in value.items() if item is not None) + b"}"
    if isinstance(value, list):
        return b"[" + b",".join(encoded(item) for item in value) + b"]"
    return str(value).encode() if isinstance(value, decimal.Decimal) else json.dumps(value).encode()


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
