"""A gateway with a REST interface that approves every payment, lists and reverses payments, and has no extensions. It refuses its list
of orders whose id begins with "unlisted", and answers a payment whose id begins with "others" with the decline of another order.

Prints its port. Ends with its standard input.
"""
import http.server
import json
import sys
import threading
import urllib.parse


class Gateway(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    payments = {}

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if not path.endswith("/transactions"):
            return self.reply({"token": "t0", "tokenType": "Bearer", "expiresIn": 1})
        order = urllib.parse.parse_qs(query).get("orderId", [None])[0]
        if order and order.startswith("unlisted"):
            return self.reply({"details": [{"errorMessage": "not today"}]}, 404)
        self.reply({"data": [payment for payment in self.payments.values() if order in (None, payment["orderId"])]})

    def do_PATCH(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        reference, action = self.path.split("/")[-2:]
        payment = self.payments.get(reference)
        if payment is None:
            return self.reply({})
        if action == "capture":
            return self.approve(payment)
        if action == "reverse":
            payment["status"] = "REVERSAL"
            return self.approve(payment)
        self.reply({})

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        is_refund = "refundAmount" in request
        if not is_refund and "order" not in request:
            return self.reply({"credentialsNumber": "2967531234567894", "merchantReference": request.get("merchantReference")})
        order = request if is_refund else request["order"]
        reference = f"U{len(self.payments) + 1}"
        self.payments[reference] = {
            "uniqueReference": reference, "orderId": order["orderId"], "type": "REFUND" if is_refund else "SALE", "status": "READY",
            "currency": "EUR", "amount": -order["refundAmount"] if is_refund else order["totalAmount"]}
        if order["orderId"].startswith("others"):
            return self.approve(self.payments[reference] | {"orderId": "else", "status": "DECLINED"}, "D", "05")
        self.approve(self.payments[reference])

    def approve(self, payment, result="A", code="00"):
        name = {"orderId": payment["orderId"]}
        self.reply({
            "uniqueReference": payment["uniqueReference"], **(name if payment["type"] == "REFUND" else {"order": name}),
            "transactionResult": {
                "type": payment["type"], "status": payment["status"], "approvalCode": "123456", "currency": "EUR",
                "authorizedAmount": payment["amount"], "resultCode": result, "resultMessage": "APPROVAL", "processorResultCode": code}})

    def reply(self, document, status=200):
        content = json.dumps(document).encode()
        self.send_response_only(status)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Gateway)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
