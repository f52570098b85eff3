"""A client of the WorldNet gateway that shares no code with ours: http.client, hashlib, ElementTree and json.

peer.py PORT TERMINAL SECRET APIKEY runs one exchange after the other and prints one line for each that went as it must.
"""
import hashlib
import http.client
import json
import sys
import xml.etree.ElementTree as ElementTree

port, terminal, secret, api_key = sys.argv[1:]
DATE = "09-03-2026:12:05:09:000"


def call(method, path, body=None, headers=()):
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=20)
    connection.request(method, "/merchant" + path, body, dict(headers))
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, content


def sha512(*values):
    return hashlib.sha512(":".join([value for value in values if value] + [secret]).encode()).hexdigest()


def xml(name, fields):
    root = ElementTree.Element(name)
    for field, value in fields:
        ElementTree.SubElement(root, field).text = value
    status, content = call("POST", "/xmlpayment", ElementTree.tostring(root, "utf-8", xml_declaration=True), {"Content-Type": "text/xml"})
    assert status == 200, status
    answer = ElementTree.fromstring(content)
    return answer.tag, {child.tag: child.text or "" for child in answer}


def check(name, condition, seen=None):
    if not condition:
        print(f"not as it must be: {name}: {seen}", file=sys.stderr)
        sys.exit(1)
    print(name)


def pay(order, amount="10.00", digest=None):
    return xml("PAYMENT", [
        ("ORDERID", order), ("TERMINALID", terminal), ("AMOUNT", amount), ("DATETIME", DATE), ("CARDNUMBER", "5555555555554444"),
        ("CARDTYPE", "MASTERCARD"), ("CARDEXPIRY", "1231"), ("CARDHOLDERNAME", "J. Doe"),
        ("HASH", digest or sha512(terminal, order, amount, DATE)), ("CURRENCY", "EUR"), ("TERMINALTYPE", "1"), ("TRANSACTIONTYPE", "4"),
        ("CVV", "123")])


tag, answer = pay("py-1")
digest = sha512(terminal, answer["UNIQUEREF"], "10.00", answer["DATETIME"], answer["RESPONSECODE"], answer["RESPONSETEXT"], answer.get("BANKRESPONSECODE"))
check("xml payment", tag == "PAYMENTRESPONSE" and answer["RESPONSECODE"] == "A" and answer["HASH"] == digest, answer)
tag, again = pay("py-1")
check("xml duplicate", tag == "ERROR" and again["ERRORSTRING"] == "Order Already Processed", again)
tag, forged = pay("py-2", digest="0" * 128)
check("xml wrong hash", tag == "ERROR" and forged["ERRORCODE"] == "E13", forged)
tag, declined = pay("py-3", "10.51")
check("xml decline", declined["RESPONSECODE"] == "D" and declined["BANKRESPONSECODE"] == "51", declined)

reference = answer["UNIQUEREF"]
refund = [("UNIQUEREF", reference), ("TERMINALID", terminal), ("AMOUNT", "4.00"), ("DATETIME", DATE),
          ("HASH", sha512(terminal, reference, "4.00", DATE)), ("OPERATOR", "Jane"), ("REASON", "returned")]
tag, refunded = xml("REFUND", refund)
digest = sha512(terminal, refunded["UNIQUEREF"], "4.00", refunded["DATETIME"], refunded["RESPONSECODE"], refunded["RESPONSETEXT"])
check("xml refund", tag == "REFUNDRESPONSE" and refunded["UNIQUEREF"] == reference and refunded["HASH"] == digest, refunded)
tag, twice = xml("REFUND", refund)
check("xml the same refund again", tag == "ERROR" and twice["ERRORSTRING"] == "Order Already Processed", twice)

card = [("CARDNUMBER", "4111111111111111"), ("CARDEXPIRY", "1231"), ("CARDTYPE", "VISA"), ("CARDHOLDERNAME", "J. Doe")]
tag, stored = xml("SECURECARDREGISTRATION", [
    ("MERCHANTREF", "py-card"), ("TERMINALID", terminal), ("DATETIME", DATE), *card,
    ("HASH", sha512(terminal, "py-card", DATE, *[value for _, value in card])), ("CVV", "123")])
check("xml registration", stored["HASH"] == sha512(terminal, "py-card", stored["CARDREFERENCE"], stored["DATETIME"]), stored)
tag, found = xml("SECURECARDSEARCH", [
    ("MERCHANTREF", "py-card"), ("TERMINALID", terminal), ("DATETIME", DATE), ("HASH", sha512(terminal, "py-card", DATE))])
digest = sha512(terminal, "py-card", found["CARDREFERENCE"], found["CARDTYPE"], found["CARDEXPIRY"], found["CARDHOLDERNAME"], found["DATETIME"])
check("xml search", found["HASH"] == digest and found["CARDREFERENCE"] == stored["CARDREFERENCE"], found)
tag, removed = xml("SECURECARDREMOVAL", [
    ("MERCHANTREF", "py-card"), ("CARDREFERENCE", stored["CARDREFERENCE"]), ("TERMINALID", terminal), ("DATETIME", DATE),
    ("HASH", sha512(terminal, "py-card", DATE, stored["CARDREFERENCE"]))])
check("xml removal", tag == "SECURECARDREMOVALRESPONSE" and removed["HASH"] == sha512(terminal, "py-card", removed["DATETIME"]), removed)

status, content = call("GET", "/api/v1/account/authenticate", headers={"Authorization": "Basic wrong"})
check("rest wrong key", status == 401 and json.loads(content)["details"], status)
status, content = call("GET", "/api/v1/account/authenticate", headers={"Authorization": "Basic " + api_key})
token = json.loads(content)
check("rest token", status == 200 and token["tokenType"] == "Bearer" and token["expiresIn"] >= 1, status)


def rest(method, path, body=None, bearer=token["token"], **headers):
    status, content = call(method, "/api/v1" + path, None if body is None else json.dumps(body), {
        "Authorization": "Bearer " + bearer, "Content-Type": "application/json", "Accept": "application/json", **headers})
    return status, json.loads(content) if content else None


def keyed(order, amount, **more):
    return {"channel": "MOTO", "terminal": terminal, "order": {"orderId": order, "currency": "EUR", "totalAmount": amount},
            "customerAccount": {"payloadType": "KEYED", "cardholderName": "J. Doe", "cardDetails": {
                "dataFormat": "PLAIN_TEXT", "cardNumber": "5555555555554444", "expiryDate": "1231", "cvv": "123"}}, **more}


status, payment = rest("POST", "/transaction/payments", keyed("py-10", 10.5))
result = payment["transactionResult"]
check("rest payment", status == 201 and result["resultCode"] == "A" and result["status"] == "READY" and result["authorizedAmount"] == 10.5, payment)
status, error = rest("POST", "/transaction/payments", keyed("py-10", 10.5))
check("rest duplicate", status == 422 and "Already" in error["details"][0]["errorMessage"] and error["debugIdentifier"], error)
status, shown = rest("GET", "/transaction/payments/" + payment["uniqueReference"])
check("rest payment again", status == 200 and shown == payment, shown)
status, returned = rest("POST", f"/transaction/payments/{payment['uniqueReference']}/refunds", {"refundAmount": 0.5, "refundReason": "returned"})
check("rest refund", status == 201 and returned["transactionResult"]["authorizedAmount"] == -0.5, returned)
status, reserved = rest("POST", "/transaction/payments", keyed("py-11", 10, autoCapture=False))
status, captured = rest("PATCH", f"/transaction/payments/{reserved['uniqueReference']}/capture", {"captureAmount": 11})
check("rest capture", captured["transactionResult"]["authorizedAmount"] == 11, captured)
status, sale = rest("POST", "/transaction/payments", keyed("py-12", 5, credentialOnFile={"tokenize": True, "merchantReference": "py-card-2"}))
number = sale["transactionResult"]["storedPaymentCredentials"]["credentialsNumber"]
check("rest token in the answer", number.startswith("296753"), sale)
status, _ = rest("PATCH", "/transaction/orders/py-12/completion", {"tlv": "", "cardholderSignature": "4i1m621m00005a125a2e"})
check("rest signature", status in (200, 204), status)
status, reversal = rest("PATCH", f"/transaction/payments/{sale['uniqueReference']}/reverse", {"reversalReason": "mistake"})
check("rest reversal", status == 200 and reversal["transactionResult"]["status"] == "REVERSAL", reversal)
status, page = rest("GET", f"/transaction/transactions?terminal={terminal}&pageSize=2&orderId=py-10")
check("rest list", [item["orderId"] for item in page["data"]] == ["py-10"], page)
status, card = rest("GET", f"/customer/credentials/py-card-2?terminal={terminal}")
check("rest credentials", status == 200 and card["credentialsNumber"] == number and card["maskedPan"] == "555555******4444", card)
check("rest deletion", rest("DELETE", f"/customer/credentials/py-card-2?terminal={terminal}")[0] == 204)
check("rest deleted", rest("GET", f"/customer/credentials/py-card-2?terminal={terminal}")[0] == 404)
status, settings = rest("GET", "/account/terminals/" + terminal)
check("rest terminal", settings["terminalNumber"] == terminal and settings["merchantDetails"]["name"], settings)
for path, body in [("/transaction/payments", None), ("/transaction/payments", {"terminal": terminal})]:
    status, error = rest("POST", path, body)
    check("rest refusal", status == 400 and error["details"], error)
status, noted = rest("POST", "/transaction/payments", keyed("py-13", 5, offlineProcessing={"operation": "OFFLINE_DECLINE"}))
result = noted["transactionResult"]
check("rest offline decline is not charged", status == 201 and result["resultCode"] == "D" and result.get("authorizedAmount", 0) == 0, noted)
unknown = keyed("py-15", 5, offlineProcessing={"operation": "OFFLINE_REFERRAL"})
check("rest unknown offline operation", rest("POST", "/transaction/payments", unknown)[0] == 501)
check("rest nothing there", rest("GET", "/nothing")[0] == 501)
mark = {"CardPresent-Request": "py-mark"}
first = rest("POST", "/transaction/payments", keyed("py-14", 5), **mark)
check("rest marked copy", first[0] == 201 and rest("POST", "/transaction/payments", keyed("py-14", 5), **mark) == first, first)
status, error = rest("POST", "/transaction/payments", keyed("py-14", 5), bearer="wrong", **mark)
check("rest marked copy of somebody else's", status == 401 and "uniqueReference" not in error, error)
